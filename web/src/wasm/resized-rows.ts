// Loops that resize rows of float32 as WebAssembly, two float64 at a time. Multiplications and additions are
// separate and in Python's order, so that results are equal bit for bit.

import {
  type Code,
  f64x2,
  i32,
  type Local,
  type Locals,
  repeatWhile,
  v128,
  type WasmFunction,
} from "./assemble.js";

/**
 * Interpolates a row of float32 at columns of a picture, into a line of float64 from `into` to `end`. `taps`
 * has 48 bytes for two columns: the byte offsets of their first cells and of their second cells, then the
 * weights of the first cells and of the second.
 */
export const mixColumns: WasmFunction = {
  parameters: { into: "i32", end: "i32", row: "i32", taps: "i32" },
  locals: {},
  body(local) {
    const [into, end, row, taps] = ["into", "end", "row", "taps"].map(local) as Locals<4>;
    const cell = (offset: number): Code => i32.add(row.get, i32.load(taps.get, offset));
    const cells = (offset: number): Code =>
      f64x2.promote(v128.loadSecondWord(cell(offset + 4), v128.loadWord(cell(offset))));
    const weighed = (offset: number, weights: number): Code =>
      f64x2.mul(v128.load(taps.get, weights), cells(offset));
    return [
      repeatWhile(i32.unequal(into.get, end.get), [
        v128.store(into.get, f64x2.add(weighed(0, 16), weighed(8, 32))),
        into.add(16),
        taps.add(48),
      ]),
    ];
  },
};

/** Blends two lines of float64 with their weights into a row of float32 from `into` to `end`. */
export const blend: WasmFunction = {
  parameters: { into: "i32", end: "i32", above: "i32", below: "i32", weightAbove: "f64", weightBelow: "f64" },
  locals: {},
  body(local) {
    const [into, end, above, below] = ["into", "end", "above", "below"].map(local) as Locals<4>;
    const weighed = (line: Local, weight: string): Code =>
      f64x2.mul(f64x2.splat(local(weight).get), v128.load(line.get));
    const sum = f64x2.add(weighed(above, "weightAbove"), weighed(below, "weightBelow"));
    return [
      repeatWhile(i32.unequal(into.get, end.get), [
        v128.storeLane(into.get, 0, f64x2.demote(sum)),
        into.add(8),
        above.add(16),
        below.add(16),
      ]),
    ];
  },
};
