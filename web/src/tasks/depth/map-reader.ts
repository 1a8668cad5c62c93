// Reads rows of a map at the columns of a picture, in the memory of a WebAssembly kernel.

import type { Size } from "../../preprocess/letterbox.js";
import { aligned, type RowKernel } from "../../wasm/row-kernel.js";

/**
 * The two cells that a pixel is between, and the fraction from the first to the second: NaN outside of the
 * input.
 */
export interface MapTap {
  first: number;
  second: number;
  fraction: number;
}

/** Columns `from` to `to` (exclusive), both multiples of 4: the kernel writes four at a time. */
export type Span = readonly [from: number, to: number];

/** The address of the columns' taps, and their count. Padding to a multiple of 4 is NaN. */
export interface PackedColumns {
  taps: number;
  count: number;
}

/** Bytes of two columns' taps in the layout of `mixColumns`. */
const PAIR_BYTES = 48;
const BEYOND: MapTap = { first: 0, second: 0, fraction: Number.NaN };

/** Returns the kernel's memory that `packColumns` needs. */
export function packedBytes(columns: number): number {
  return (padded(columns) / 2) * PAIR_BYTES;
}

export function packColumns(kernel: RowKernel, columns: readonly MapTap[]): PackedColumns {
  const count = padded(columns.length);
  const bytes = packedBytes(columns.length);
  const taps = kernel.allot(bytes);
  const view = new DataView(kernel.buffer, taps, bytes);
  for (let column = 0; column < count; column++) {
    const { first, second, fraction } = columns[column] ?? BEYOND;
    const [pair, lane] = [(column >> 1) * PAIR_BYTES, column & 1];
    view.setInt32(pair + lane * 4, first * 4, true);
    view.setInt32(pair + 8 + lane * 4, second * 4, true);
    view.setFloat64(pair + 16 + lane * 8, 1 - fraction, true);
    view.setFloat64(pair + 32 + lane * 8, fraction, true);
  }
  return { taps, count };
}

function padded(columns: number): number {
  return aligned(columns * 4) / 4;
}

/** Returns the address of a row of a map. */
type RowSource = (row: number) => number;

/** Returns the rows of a map outside of the kernel: each is copied over the previous one. */
export function copiedRows(
  kernel: RowKernel,
  { values, grid }: { values: Float32Array; grid: Size },
): RowSource {
  const address = kernel.allot(grid.width * 4);
  const copy = new Float32Array(kernel.buffer, address, grid.width);
  return (row) => {
    copy.set(values.subarray(row * grid.width, (row + 1) * grid.width));
    return address;
  };
}

/**
 * Reads the rows of the picture one after another. Many rows of a large picture are between the same two rows
 * of the map.
 */
export class MapReader {
  readonly #kernel: RowKernel;
  readonly #columns: PackedColumns;
  readonly #rowAt: RowSource;
  readonly #whole: readonly Span[];
  /** The map's even and odd row that were read last, in float64, with their row numbers. */
  readonly #lines: readonly [Line, Line];

  /** Returns the kernel's memory it needs; with a map also that of `copiedRows`. */
  static bytes(columns: number, map?: { grid: Size }): number {
    return padded(columns) * 8 * 2 + aligned((map?.grid.width ?? 0) * 4);
  }

  constructor(kernel: RowKernel, columns: PackedColumns, rowAt: RowSource) {
    this.#kernel = kernel;
    this.#columns = columns;
    this.#rowAt = rowAt;
    this.#whole = [[0, columns.count]];
    const line = (): Line => ({ row: -1, address: kernel.allot(columns.count * 8) });
    this.#lines = [line(), line()];
  }

  /** Writes the row at `into`, in float32: the columns of `spans`, which stay the same until `forget`. */
  read({ first, second, fraction }: MapTap, into: number, spans = this.#whole): void {
    const [above, below] = [this.#lineOf(first, spans), this.#lineOf(second, spans)];
    for (const [from, to] of spans) {
      const [left, right] = [above + from * 8, below + from * 8];
      this.#kernel.run.blend(into + from * 4, into + to * 4, left, right, 1 - fraction, fraction);
    }
  }

  /** Drops the cached rows, so that the next row is read from the map. */
  forget(): void {
    for (const line of this.#lines) line.row = -1;
  }

  #lineOf(row: number, spans: readonly Span[]): number {
    const line = this.#lines[row % 2 === 0 ? 0 : 1];
    if (line.row === row) return line.address;
    const source = this.#rowAt(row);
    for (const [from, to] of spans) {
      const taps = this.#columns.taps + (from / 2) * PAIR_BYTES;
      this.#kernel.run.mixColumns(line.address + from * 8, line.address + to * 8, source, taps);
    }
    line.row = row;
    return line.address;
  }
}

interface Line {
  row: number;
  address: number;
}
