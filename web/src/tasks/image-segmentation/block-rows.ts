// A map as rows of blocks of cells, in the memory of a kernel: each block's bounds, and its cells' values.

import type { Size } from "../../preprocess/letterbox.js";
import { aligned, type RowKernel } from "../../wasm/row-kernel.js";
import { sigmoid } from "../activations.js";
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
import { type MaskMap, wholeMap } from "./mask-logits.js";

/** The side of a block in cells, as in `leastOfEight`. */
export const BLOCK = 8;
/** The number of cached rows of cells: more than a block's and the two around it. */
const SLOTS = 16;
/** Bytes before and after a row, for the cells around its first and its last block. */
const MARGIN = 16;

/**
 * The layout that maps of one size share: their cells, resized if `resized` is not null, and the blocks of
 * these.
 */
export class BlockGrid {
  readonly cells: Size;
  readonly blocks: Size;
  /** Bytes of a row, up to the end of its last block. */
  readonly rowBytes: number;
  readonly resizing: { columns: PackedColumns; rows: readonly MapTap[] } | null;
  /** The minimum and maximum of each column in a row of blocks, for the map that is being measured. */
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
  /** Includes the margins. */
  values: Float32Array;
}

function boundRow(kernel: RowKernel, rowBytes: number): BoundRow {
  const bytes = rowBytes + 2 * MARGIN;
  const begin = kernel.allot(bytes);
  return { address: begin + MARGIN, values: new Float32Array(kernel.buffer, begin, bytes / 4) };
}

export class BlockRows {
  /** The minimum and maximum of each block, and of the cells around it, in the row that was measured last. */
  readonly least: Float32Array;
  readonly most: Float32Array;
  readonly #kernel: RowKernel;
  readonly #grid: BlockGrid;
  readonly #readCells: (row: number, into: number) => void;
  /** The address of the cached rows of cells. Cells after the last column are NaN. */
  readonly #cells: number;
  readonly #cachedRows = new Int32Array(SLOTS).fill(-1);
  /** Null if the map's cells are compared unchanged. */
  readonly #probabilities: number | null;

  static bytes(cells: Size, map: MaskMap): number {
    const row = blocksOf(cells.width) * BLOCK * 4;
    return 2 * SLOTS * row + MapReader.bytes(cells.width, map) + 2 * aligned(blocksOf(cells.width) * 4);
  }

  /** `isLogits`: the map is compared as probabilities. */
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

  /** Returns the address of a row of values. Probabilities exist only where evaluate() computed them. */
  readonly rowAt = (row: number): number =>
    this.#probabilities === null
      ? this.#cellsOf(row)
      : this.#probabilities + (row % SLOTS) * this.#grid.rowBytes;

  /** Computes the bounds of a row of blocks. NaN if a cell is NaN. */
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

  /** Computes the values that pixels of a row of blocks are interpolated from, in these columns. */
  evaluate(blockRow: number, spans: readonly Span[]): void {
    if (this.#probabilities === null) return;
    const { cells, rowBytes } = this.#grid;
    const last = Math.min((blockRow + 1) * BLOCK, cells.height - 1);
    for (let row = blockRow * BLOCK; row <= last; row++) {
      const logits = new Float32Array(this.#kernel.buffer, this.#cellsOf(row), rowBytes / 4);
      const values = new Float32Array(this.#kernel.buffer, this.rowAt(row), rowBytes / 4);
      for (const [from, to] of spans)
        for (let at = from; at < to; at++) values[at] = sigmoid(logits[at] ?? Number.NaN);
    }
  }

  #cellsOf(row: number): number {
    const slot = row % SLOTS;
    const address = this.#cells + slot * this.#grid.rowBytes;
    if (this.#cachedRows[slot] !== row) this.#readCells(row, address);
    this.#cachedRows[slot] = row;
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
