// Finds the map with the largest value at each pixel of a picture.

import type { Geometry, Size } from "../../preprocess/letterbox.js";
import { aligned, RowKernel } from "../../wasm/row-kernel.js";
import { mapTaps } from "../depth/depth-map.js";
import { MapReader, type MapTap, packColumns, packedBytes, type Span } from "../depth/map-reader.js";
import { BLOCK, BlockGrid, BlockRows } from "./block-rows.js";
import { ColumnGroups, type ContendedRow } from "./contenders.js";
import { LabelRuns } from "./label-runs.js";
import type { MaskMap } from "./mask-logits.js";

/**
 * Runs of pixels by the number of their best map, from 1, and each map's number of pixels at or above the
 * threshold.
 */
export interface ArgmaxResult {
  runs: LabelRuns;
  pixelCounts: number[];
}

/** A map, and the weight of its values, in float32. */
export interface ScoredMap {
  map: MaskMap;
  weight: number;
}

/** How maps are compared: as probabilities if they are logits; in the cells of `resized` if not null. */
export interface Compared {
  areLogits: boolean;
  resized: Size | null;
  /** Null if pixels above it are not counted. */
  threshold: number | null;
}

const AS_THEY_ARE: Compared = { areLogits: false, resized: null, threshold: null };

/** Maps of one size, times their weights, rounded to float32. Of equals the first wins; NaN never does. */
export function argmax(
  geometry: Geometry,
  weighed: readonly ScoredMap[],
  compared: Compared = AS_THEY_ARE,
): ArgmaxResult {
  const { width, height } = geometry.source;
  const runs = new LabelRuns();
  const unlabelled = new Int32Array(width);
  const pixelCounts = weighed.map(() => 0);
  const [first] = weighed;
  if (first === undefined) {
    for (let y = 0; y < height; y++) runs.addRow(unlabelled);
    return { runs, pixelCounts };
  }
  const cells = compared.resized ?? first.map.grid;
  const taps = mapTaps(geometry, first.map.input, cells);
  const kernel = RowKernel.borrow(
    3 * aligned(width * 4) +
      packedBytes(width) +
      BlockGrid.bytes(cells) +
      weighed.length * (BlockRows.bytes(cells, first.map) + MapReader.bytes(width)),
  );
  try {
    const picture = new PictureRows(kernel, taps.columns, weighed, compared, pixelCounts);
    for (const tap of taps.rows) runs.addRow(Number.isNaN(tap.fraction) ? unlabelled : picture.labelsOf(tap));
    return { runs, pixelCounts };
  } finally {
    kernel.giveBack();
  }
}

/** Labels the rows of a picture, from the top. */
class PictureRows {
  readonly #kernel: RowKernel;
  readonly #columns: readonly MapTap[];
  readonly #maps: readonly { rows: BlockRows; reader: MapReader; weight: number }[];
  readonly #groups: ColumnGroups;
  readonly #compared: Compared;
  readonly #pixelCounts: number[];
  readonly #row: number;
  readonly #best: Float32Array;
  readonly #labels: Int32Array;
  #blockRow = -1;
  #contended: ContendedRow = { spans: [], sole: [] };

  constructor(
    kernel: RowKernel,
    columns: readonly MapTap[],
    weighed: readonly ScoredMap[],
    compared: Compared,
    pixelCounts: number[],
  ) {
    const rowBytes = aligned(columns.length * 4);
    this.#kernel = kernel;
    this.#columns = columns;
    this.#compared = compared;
    this.#pixelCounts = pixelCounts;
    this.#row = kernel.allot(rowBytes);
    this.#best = new Float32Array(kernel.buffer, kernel.allot(rowBytes), columns.length);
    this.#labels = new Int32Array(kernel.buffer, kernel.allot(rowBytes), columns.length);
    const packed = packColumns(kernel, columns);
    const [first] = weighed;
    const { grid, input } = first?.map ?? { grid: { width: 1, height: 1 }, input: { width: 1, height: 1 } };
    const blocks = new BlockGrid(kernel, { grid, input }, compared.resized);
    this.#maps = weighed.map(({ map, weight }) => {
      const rows = new BlockRows(kernel, blocks, map, compared.areLogits);
      return { rows, reader: new MapReader(kernel, packed, rows.rowAt), weight };
    });
    this.#groups = new ColumnGroups(columns, blocks.blocks.width);
  }

  /** Returns the labels of the pixels of a row. The next call overwrites them. */
  labelsOf(tap: MapTap): Int32Array {
    const blockRow = Math.floor(tap.first / BLOCK);
    if (blockRow !== this.#blockRow) this.#enterBlocks(blockRow);
    const { spans, sole } = this.#contended;
    this.#best.fill(Number.NEGATIVE_INFINITY);
    this.#labels.fill(0);
    for (const [index, { reader, weight }] of this.#maps.entries())
      this.#enterMap(index, reader, weight, tap, spans[index] ?? []);
    for (const { map, from, to } of sole) {
      this.#labels.fill(map + 1, from, to);
      this.#count(map, to - from);
    }
    return this.#labels;
  }

  #enterBlocks(blockRow: number): void {
    this.#blockRow = blockRow;
    const { areLogits, threshold } = this.#compared;
    for (const { rows } of this.#maps) rows.measure(blockRow);
    this.#contended = this.#groups.contended(this.#maps, areLogits, threshold);
    for (const [index, { rows, reader }] of this.#maps.entries()) {
      reader.forget();
      rows.evaluate(blockRow, this.#cellsOf(this.#contended.spans[index] ?? []));
    }
  }

  /** Returns the cells that columns of the picture are interpolated from. */
  #cellsOf(spans: readonly Span[]): Span[] {
    return spans.map(([from, to]) => {
      const [first, last] = [this.#columns[from], this.#columns[Math.min(to, this.#columns.length) - 1]];
      return [first?.first ?? 0, (last?.second ?? -1) + 1];
    });
  }

  #enterMap(index: number, reader: MapReader, weight: number, tap: MapTap, spans: readonly Span[]): void {
    reader.read(tap, this.#row, spans);
    const [best, labels] = [this.#best.byteOffset, this.#labels.byteOffset];
    const threshold = this.#compared.threshold ?? Number.POSITIVE_INFINITY;
    for (const [from, to] of spans) {
      const [begin, end] = [from * 4, to * 4];
      const above = this.#kernel.run.enterRow(
        this.#row + begin,
        this.#row + end,
        best + begin,
        labels + begin,
        index + 1,
        weight,
        threshold,
      );
      this.#count(index, above);
    }
  }

  #count(map: number, pixels: number): void {
    this.#pixelCounts[map] = (this.#pixelCounts[map] ?? 0) + pixels;
  }
}
