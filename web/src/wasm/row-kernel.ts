// The WebAssembly functions over rows of pixels, and their memory.

import { assemble } from "./assemble.js";
import * as pictureRows from "./picture-rows.js";
import * as resizedRows from "./resized-rows.js";
import * as rowExtremes from "./row-extremes.js";

/** The functions of picture-rows.ts, resized-rows.ts and row-extremes.ts, which describe them. */
interface RowFunctions {
  toOpaqueRgba(begin: number, end: number, isBgr: boolean): number;
  weighColumns(
    first: number,
    second: number,
    taps: number,
    ends: number,
    stop: number,
    intoFirst: number,
    intoSecond: number,
  ): number;
  addWeighted(into: number, end: number, line: number, weight: number): void;
  mixColumns(into: number, end: number, row: number, taps: number): void;
  widen(row: number, end: number, least: number, most: number): void;
  widenFinite(row: number, end: number, least: number, most: number): void;
  leastOfEight(row: number, end: number, into: number): void;
  mostOfEight(row: number, end: number, into: number): void;
  blend(
    into: number,
    end: number,
    above: number,
    below: number,
    weightAbove: number,
    weightBelow: number,
  ): void;
  enterRow(
    row: number,
    end: number,
    best: number,
    labels: number,
    label: number,
    weight: number,
    threshold: number,
  ): number;
}

const PAGE = 1 << 16;
let compiled: WebAssembly.Module | null = null;
/** Kernels that are not in use: reusing their memory is faster than allocating new memory. */
const idle: RowKernel[] = [];

/** The functions and their memory, for one caller at a time. */
export class RowKernel {
  readonly #memory = new WebAssembly.Memory({ initial: 1 });
  readonly run: RowFunctions;
  #used = 0;

  private constructor() {
    compiled ??= new WebAssembly.Module(assemble({ ...pictureRows, ...resizedRows, ...rowExtremes }));
    const { exports } = new WebAssembly.Instance(compiled, { env: { memory: this.#memory } });
    this.run = exports as unknown as RowFunctions;
  }

  /** Returns a kernel whose memory has room for this many bytes, all free. */
  static borrow(bytes: number): RowKernel {
    const kernel = idle.pop() ?? new RowKernel();
    const missing = bytes - kernel.buffer.byteLength;
    if (missing > 0) kernel.#memory.grow(Math.ceil(missing / PAGE));
    kernel.#used = 0;
    return kernel;
  }

  /** Returns the kernel to the pool. Its memory must not be read afterwards. */
  giveBack(): void {
    idle.push(this);
  }

  get buffer(): ArrayBuffer {
    return this.#memory.buffer as ArrayBuffer;
  }

  /** Allocates bytes and returns their address, a multiple of 16. */
  allot(bytes: number): number {
    const begin = this.#used;
    this.#used += aligned(bytes);
    return begin;
  }
}

/** Returns the number of bytes that `allot` takes for this many bytes. */
export function aligned(bytes: number): number {
  return Math.ceil(bytes / 16) * 16;
}
