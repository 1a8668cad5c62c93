// A map in rows of blocks of cells, in the memory of a kernel: what the cells of each block lie between, and their values.

import type { Size } from "../../preprocess/letterbox.js";
import { aligned, type RowKernel } from "../../wasm/row-kernel.js";
import { mapTaps } from "../depth/depth-map.js";
import {
  copiedRows,
  MapReader,
  type MapTap,
  type PackedColumns,
  packColumns,
  packedBytes,
  type Span,
} from "../depth/map-reader.js";
import { type MaskMap, probability, wholeMap } from "./mask-logits.js";

/** Cells on a side of a block, as `leastOfEight` has them. */
export const BLOCK = 8;
/** Rows of cells that are kept: more than a block's and the two around it. */
const SLOTS = 16;
/** Bytes before and after a row, for the cells around its first and its last block. */
const MARGIN = 16;

/** What maps of one size share: their cells, after they are resized where `resized` says to what, and the blocks of these. */
export class BlockGrid {
  readonly cells: Size;
  readonly blocks: Size;
  /** Of a row, to the end of its last block. */
  readonly rowBytes: number;
  readonly resizing: { columns: PackedColumns; rows: readonly MapTap[] } | null;
  /** What the columns of a row of blocks lie between, while one map is looked at. */
  readonly least: BoundRow;
  readonly most: BoundRow;

  static bytes({ width }: Size): number {
    return packedBytes(width) + 2 * aligned(blocksOf(width) * BLOCK * 4 + 2 * MARGIN);
  }

  constructor(kernel: RowKernel, map: Omit<MaskMap, "values">, resized: Size | null) {
    this.cells = resized ?? map.grid;
    this.blocks = { width: blocksOf(this.cells.width), height: blocksOf(this.cells.height) };
    this.rowBytes = this.blocks.width * BLOCK * 4;
    const taps = resized && mapTaps(wholeMap(resized, map.input), map.input, map.grid);
    this.resizing = taps && { columns: packColumns(kernel, taps.columns), rows: taps.rows };
    this.least = boundRow(kernel, this.rowBytes);
    this.most = boundRow(kernel, this.rowBytes);
  }
}

interface BoundRow {
  address: number;
  /** With the margins. */
  values: Float32Array;
}

function boundRow(kernel: RowKernel, rowBytes: number): BoundRow {
  const bytes = rowBytes + 2 * MARGIN;
  const begin = kernel.allot(bytes);
  return { address: begin + MARGIN, values: new Float32Array(kernel.buffer, begin, bytes / 4) };
}

export class BlockRows {
  /** The least and the largest cell of each block of the row that was measured last, and of the cells around it. */
  readonly least: Float32Array;
  readonly most: Float32Array;
  readonly #kernel: RowKernel;
  readonly #grid: BlockGrid;
  readonly #readCells: (row: number, into: number) => void;
  /** The rows of cells that are kept, and their numbers. Those beyond the last cell are NaN. */
  readonly #cells: number;
  readonly #held = new Int32Array(SLOTS).fill(-1);
  /** Null for a map whose cells are the values. */
  readonly #probabilities: number | null;

  static bytes(cells: Size, map: MaskMap): number {
    const row = blocksOf(cells.width) * BLOCK * 4;
    return 2 * SLOTS * row + MapReader.bytes(cells.width, map) + 2 * aligned(blocksOf(cells.width) * 4);
  }

  /** `isLogits`: the values are the probabilities. */
  constructor(kernel: RowKernel, grid: BlockGrid, map: MaskMap, isLogits: boolean) {
    const { rowBytes, blocks } = grid;
    this.#kernel = kernel;
    this.#grid = grid;
    this.#cells = kernel.allot(SLOTS * rowBytes);
    new Float32Array(kernel.buffer, this.#cells, (SLOTS * rowBytes) / 4).fill(Number.NaN);
    this.#probabilities = isLogits ? kernel.allot(SLOTS * rowBytes) : null;
    const bounds = (): Float32Array =>
      new Float32Array(kernel.buffer, kernel.allot(blocks.width * 4), blocks.width);
    this.least = bounds();
    this.most = bounds();
    this.#readCells = cellReader(kernel, grid, map);
  }

  /** The address of a row of values. Probabilities are there only where they were made. */
  readonly rowAt = (row: number): number =>
    this.#probabilities === null
      ? this.#cellsOf(row)
      : this.#probabilities + (row % SLOTS) * this.#grid.rowBytes;

  /** Finds out what the blocks of a row lie between. NaN where a cell is. */
  measure(blockRow: number): void {
    const { cells, rowBytes, least, most } = this.#grid;
    const { run } = this.#kernel;
    least.values.fill(Number.POSITIVE_INFINITY);
    most.values.fill(Number.NEGATIVE_INFINITY);
    const last = Math.min((blockRow + 1) * BLOCK, cells.height - 1);
    for (let row = Math.max(blockRow * BLOCK - 1, 0); row <= last; row++) {
      const address = this.#cellsOf(row);
      run.widen(address, address + rowBytes, least.address, most.address);
    }
    run.leastOfEight(least.address, least.address + rowBytes, this.least.byteOffset);
    run.mostOfEight(most.address, most.address + rowBytes, this.most.byteOffset);
  }

  /** Makes the values that pixels in a row of blocks are mixed of, in these columns. */
  evaluate(blockRow: number, spans: readonly Span[]): void {
    if (this.#probabilities === null) return;
    const { cells, rowBytes } = this.#grid;
    const last = Math.min((blockRow + 1) * BLOCK, cells.height - 1);
    for (let row = blockRow * BLOCK; row <= last; row++) {
      const logits = new Float32Array(this.#kernel.buffer, this.#cellsOf(row), rowBytes / 4);
      const values = new Float32Array(this.#kernel.buffer, this.rowAt(row), rowBytes / 4);
      for (const [from, to] of spans)
        for (let at = from; at < to; at++) values[at] = probability(logits[at] ?? Number.NaN);
    }
  }

  #cellsOf(row: number): number {
    const slot = row % SLOTS;
    const address = this.#cells + slot * this.#grid.rowBytes;
    if (this.#held[slot] !== row) this.#readCells(row, address);
    this.#held[slot] = row;
    return address;
  }
}

function cellReader(
  kernel: RowKernel,
  { resizing }: BlockGrid,
  map: MaskMap,
): (row: number, into: number) => void {
  const { values, grid } = map;
  if (resizing === null) {
    const { buffer } = kernel;
    return (row, into) =>
      new Float32Array(buffer, into, grid.width).set(
        values.subarray(row * grid.width, (row + 1) * grid.width),
      );
  }
  const reader = new MapReader(kernel, resizing.columns, copiedRows(kernel, map));
  return (row, into) => {
    const tap = resizing.rows[row];
    if (tap !== undefined) reader.read(tap, into);
  };
}

function blocksOf(cells: number): number {
  return Math.ceil(cells / BLOCK);
}
