// Resamples a picture in float64, without rounding: a horizontal pass over its rows, then a vertical pass. The operations are
// in the same order as in webbuild/preprocess/resample.py, so that the results are equal bit for bit.

import { internalError } from "../api/errors.js";
import { aligned, RowKernel } from "../wasm/row-kernel.js";
import type { Pixels } from "./canvas-pixels.js";
import type { Taps } from "./resample.js";

/** Yields the rows of the resampled picture, RGB over white. Each overwrites the one before. */
export function* resampledRows(pixels: Pixels, columns: Taps, rows: Taps): Generator<Float64Array> {
  const lines = new LineCache(pixels, columns, rows.count);
  try {
    for (let first = 0; first < rows.at.length; first += rows.count) yield lines.resampleRow(rows, first);
  } finally {
    lines.release();
  }
}

/**
 * The lines (rows of the picture after the horizontal pass) that the next output rows may read again, in the
 * memory of a WebAssembly kernel.
 */
class LineCache {
  readonly #pixels: Pixels;
  readonly #columns: PackedTaps;
  readonly #kernel: RowKernel;
  readonly #bytes: Uint8Array;
  /** Addresses in the kernel's memory: two rows of the picture, packed taps, their ends, and the output row. */
  readonly #rows: readonly [number, number];
  readonly #taps: number;
  readonly #ends: number;
  readonly #output: number;
  readonly #elements: number;
  /** The address of each cached line by its y, and the free addresses. */
  readonly #lines = new Map<number, number>();
  readonly #spare: number[];

  constructor(pixels: Pixels, columns: Taps, rowCount: number) {
    const packed = packTaps(columns);
    const rowBytes = pixels.width * 4;
    this.#elements = packed.ends.length * 3;
    const lineBytes = this.#elements * 8;
    // The kernel makes two lines at a time: the second may be the first that the next output row reads.
    const lines = rowCount + 2;
    const sizes = [
      rowBytes,
      rowBytes,
      packed.taps.length,
      packed.ends.byteLength,
      ...Array(lines + 1).fill(lineBytes),
    ];
    const kernel = RowKernel.borrow(sizes.reduce((sum, size) => sum + aligned(size), 0));
    const [first = 0, second = 0, taps = 0, ends = 0, output = 0, ...spare] = sizes.map((size) =>
      kernel.allot(size),
    );
    this.#bytes = new Uint8Array(kernel.buffer);
    this.#bytes.set(packed.taps, taps);
    new Int32Array(kernel.buffer, ends, packed.ends.length).set(packed.ends.map((end) => taps + end));
    this.#pixels = pixels;
    this.#columns = packed;
    this.#kernel = kernel;
    this.#rows = [first, second];
    this.#taps = taps;
    this.#ends = ends;
    this.#output = output;
    this.#spare = spare;
  }

  release(): void {
    this.#kernel.giveBack();
  }

  /** The vertical pass: returns the output row whose taps begin at `first`. */
  resampleRow({ count, at, weights }: Taps, first: number): Float64Array {
    const sums = new Float64Array(this.#kernel.buffer, this.#output, this.#elements);
    sums.fill(0);
    const used = usedTaps({ count, weights }, first);
    this.#dropAbove(Math.min(...used.map((tap) => at[tap] ?? 0)));
    for (const tap of used) {
      const line = this.#lineOf(at[tap] ?? 0);
      this.#kernel.run.addWeighted(
        this.#output,
        this.#output + aligned(sums.byteLength),
        line,
        weights[tap] ?? 0,
      );
    }
    return sums;
  }

  /** Frees the lines above `top`: later output rows do not read them. */
  #dropAbove(top: number): void {
    for (const [y, line] of this.#lines) {
      if (y >= top) continue;
      this.#lines.delete(y);
      this.#spare.push(line);
    }
  }

  #lineOf(y: number): number {
    const known = this.#lines.get(y);
    if (known !== undefined) return known;
    const { height } = this.#pixels;
    const next = y + 1 < height && !this.#lines.has(y + 1) ? y + 1 : null;
    const [line, other] = [this.#takeSpare(), this.#takeSpare()];
    this.#lines.set(y, line);
    if (next === null) this.#spare.push(other);
    else this.#lines.set(next, other);
    this.#makeLines([y, next ?? y], [line, other]);
    return line;
  }

  #takeSpare(): number {
    const line = this.#spare.pop();
    if (line === undefined) throw internalError("more rows of a picture are in use than an output has taps");
    return line;
  }

  /** The horizontal pass of two rows of the picture. */
  #makeLines(rows: readonly [number, number], lines: readonly [number, number]): void {
    const { width, data } = this.#pixels;
    for (const [index, y] of rows.entries())
      this.#bytes.set(data.subarray(y * width * 4, (y + 1) * width * 4), this.#rows[index]);
    const stop = this.#ends + this.#columns.ends.length * 4;
    if (this.#kernel.run.weighColumns(...this.#rows, this.#taps, this.#ends, stop, ...lines)) return;
    for (const [index, y] of rows.entries()) {
      const line = new Float64Array(this.#kernel.buffer, lines[index], this.#elements);
      weighColumns(lineOverWhite(data, y * width * 4, (y + 1) * width * 4), this.#columns.of, line);
    }
  }
}

/** Returns the taps with a weight other than 0, of the output position whose taps begin at `first`. */
function usedTaps({ count, weights }: Pick<Taps, "count" | "weights">, first: number): number[] {
  const used: number[] = [];
  for (let tap = first; tap < first + count; tap++) if (weights[tap] !== 0) used.push(tap);
  return used;
}

/** Taps as the kernel reads them, and for each output position the byte after its last tap. */
interface PackedTaps {
  of: Taps;
  taps: Uint8Array;
  ends: Int32Array;
}

/** A weight in float64, and an offset in bytes. */
const TAP_BYTES = 12;
/** Packed taps by their taps: the next frame of a stream needs the same ones. */
const packedTaps = new WeakMap<Taps, PackedTaps>();

function packTaps(of: Taps): PackedTaps {
  const known = packedTaps.get(of);
  if (known !== undefined) return known;
  const view = new DataView(new ArrayBuffer(of.at.length * TAP_BYTES));
  let end = 0;
  const ends = Int32Array.from({ length: of.at.length / of.count }, (_, output) => {
    const used = usedTaps(of, output * of.count);
    for (const tap of used.length > 0 ? used : [output * of.count]) {
      view.setFloat64(end, of.weights[tap] ?? 0, true);
      view.setInt32(end + 8, (of.at[tap] ?? 0) * 4, true);
      end += TAP_BYTES;
    }
    return end;
  });
  const made = { of, taps: new Uint8Array(view.buffer, 0, end), ends };
  packedTaps.set(of, made);
  return made;
}

/** Same as the kernel's weighColumns(), for rows with alpha: `source` is a row of RGB in float64. */
function weighColumns(source: Float64Array, { count, at, weights }: Taps, line: Float64Array): void {
  for (let first = 0, into = 0; into < line.length; first += count, into += 3) {
    let red = 0;
    let green = 0;
    let blue = 0;
    for (let tap = first; tap < first + count; tap++) {
      const weight = weights[tap] ?? 0;
      const from = (at[tap] ?? 0) * 3;
      red += weight * (source[from] ?? 0);
      green += weight * (source[from + 1] ?? 0);
      blue += weight * (source[from + 2] ?? 0);
    }
    line[into] = red;
    line[into + 1] = green;
    line[into + 2] = blue;
  }
}

function lineOverWhite(data: Pixels["data"], begin: number, end: number): Float64Array {
  const line = new Float64Array(((end - begin) / 4) * 3);
  for (let from = begin, into = 0; from < end; from += 4, into += 3) {
    const alpha = (data[from + 3] ?? 0) / 255;
    const white = 255 * (1 - alpha);
    line[into] = (data[from] ?? 0) * alpha + white;
    line[into + 1] = (data[from + 1] ?? 0) * alpha + white;
    line[into + 2] = (data[from + 2] ?? 0) * alpha + white;
  }
  return line;
}
