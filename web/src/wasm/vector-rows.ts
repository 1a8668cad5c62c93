// Dot products of rows of float32 with a query in float64, as WebAssembly: limited by memory bandwidth.

import { assemble, type Code, f64x2, i32, repeatWhile, v128, type WasmFunction } from "./assemble.js";

/** The numbers of a row in one step: rows are padded with zeros. */
const STEP = 8;
const PAGE = 1 << 16;
const ZERO = v128.bytes(Array(16).fill(0));
const LAST_HALF = [8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7];

/** Moves the last two of four lanes, or the last of two, to the front. */
function lastFirst(value: Code): Code {
  return v128.shuffle(value, value, LAST_HALF);
}

/**
 * Computes the dot product of each row from `row` up to `end` with the query, float64 from `query` up to
 * `stop`, into `into`.
 */
const dotRows: WasmFunction = {
  parameters: { row: "i32", end: "i32", query: "i32", stop: "i32", into: "i32" },
  locals: { at: "i32", four: "v128", one: "v128", two: "v128", three: "v128", last: "v128" },
  body(local) {
    const [row, end, query, stop] = [local("row"), local("end"), local("query"), local("stop")];
    const [into, at, four] = [local("into"), local("at"), local("four")];
    const sums = [local("one"), local("two"), local("three"), local("last")] as const;
    const [one, two, three, last] = sums;
    const added = (sum: Code, numbers: Code, place: number): Code =>
      f64x2.add(sum, f64x2.mul(f64x2.promote(numbers), v128.load(at.get, 16 * place)));
    const all = f64x2.add(f64x2.add(one.get, two.get), f64x2.add(three.get, last.get));
    return [
      repeatWhile(i32.unequal(row.get, end.get), [
        ...sums.map((sum) => sum.set(ZERO)),
        at.set(query.get),
        repeatWhile(i32.unequal(at.get, stop.get), [
          four.set(v128.load(row.get)),
          one.set(added(one.get, four.get, 0)),
          two.set(added(two.get, lastFirst(four.get), 1)),
          four.set(v128.load(row.get, 16)),
          three.set(added(three.get, four.get, 2)),
          last.set(added(last.get, lastFirst(four.get), 3)),
          row.add(4 * STEP),
          at.add(8 * STEP),
        ]),
        one.set(all),
        v128.storeLane(into.get, 0, f64x2.add(one.get, lastFirst(one.get))),
        into.add(8),
      ]),
    ];
  },
};

interface Functions {
  dotRows(row: number, end: number, query: number, stop: number, into: number): void;
}

let compiled: WebAssembly.Module | null = null;

/** `count` rows of a dimension, in their own memory. */
export class VectorRows {
  readonly #dimension: number;
  /** The width of a row, including its padding. */
  readonly #width: number;
  readonly #count: number;
  readonly #numbers: Float32Array;
  readonly #memory: WebAssembly.Memory;
  readonly #run: Functions;

  constructor(count: number, dimension: number) {
    this.#dimension = dimension;
    this.#count = count;
    this.#width = Math.ceil(dimension / STEP) * STEP;
    const bytes = 4 * count * this.#width + 8 * this.#width + 8 * count;
    this.#memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE) });
    compiled ??= new WebAssembly.Module(assemble({ dotRows }));
    const { exports } = new WebAssembly.Instance(compiled, { env: { memory: this.#memory } });
    this.#run = exports as unknown as Functions;
    this.#numbers = new Float32Array(this.#memory.buffer, 0, count * this.#width);
  }

  /** Writes rows one after another, from index `first` on. */
  set(first: number, rows: Float32Array): void {
    if (this.#width === this.#dimension) {
      this.#numbers.set(rows, first * this.#width);
      return;
    }
    for (let at = 0; at * this.#dimension < rows.length; at += 1)
      this.#numbers.set(
        rows.subarray(at * this.#dimension, (at + 1) * this.#dimension),
        (first + at) * this.#width,
      );
  }

  /** Returns the dot product of each row with the query. The next call overwrites them. */
  products(query: Float64Array): Float64Array {
    const end = 4 * this.#count * this.#width;
    const stop = end + 8 * this.#width;
    const { buffer } = this.#memory;
    new Float64Array(buffer, end, this.#width).set(query);
    if (this.#count > 0) this.#run.dotRows(0, end, end, stop, stop);
    return new Float64Array(buffer, stop, this.#count);
  }
}
