// Loops over rows of float32 as WebAssembly: the label of the largest value, and minimum and maximum.

import {
  type Code,
  f32x4,
  i32,
  i32x4,
  type Locals,
  repeatWhile,
  v128,
  type WasmFunction,
} from "./assemble.js";

/**
 * Compares a row of float32, times `weight`, with the best values so far; where it is larger, it becomes the
 * best, with the number `label`. Returns how many values are at least `threshold`. All rows are as long as
 * `row` to `end`, a multiple of 16 bytes.
 */
export const enterRow: WasmFunction = {
  parameters: {
    row: "i32",
    end: "i32",
    best: "i32",
    labels: "i32",
    label: "i32",
    weight: "f32",
    threshold: "f32",
  },
  locals: { value: "v128", wins: "v128", above: "v128" },
  result: "i32",
  body(local) {
    const [row, end, best, labels] = ["row", "end", "best", "labels"].map(local) as Locals<4>;
    const [value, wins, above] = ["value", "wins", "above"].map(local) as Locals<3>;
    return [
      repeatWhile(i32.unequal(row.get, end.get), [
        value.set(f32x4.mul(v128.load(row.get), f32x4.splat(local("weight").get))),
        // A comparison that holds is -1 in its lane.
        above.set(i32x4.sub(above.get, f32x4.atLeast(value.get, f32x4.splat(local("threshold").get)))),
        wins.set(f32x4.more(value.get, v128.load(best.get))),
        v128.store(best.get, v128.choose(value.get, v128.load(best.get), wins.get)),
        v128.store(labels.get, v128.choose(i32x4.splat(local("label").get), v128.load(labels.get), wins.get)),
        row.add(16),
        best.add(16),
        labels.add(16),
      ]),
      [0, 1, 2, 3].map((lane) => i32x4.lane(above.get, lane)).reduce((sum, lane) => i32.add(sum, lane)),
    ];
  },
};

/** Lowers `least` and raises `most`, rows of float32, to the values from `row` to `end`. NaN stays NaN. */
export const widen: WasmFunction = {
  parameters: { row: "i32", end: "i32", least: "i32", most: "i32" },
  locals: { values: "v128" },
  body(local) {
    const [row, end, least, most, values] = ["row", "end", "least", "most", "values"].map(local) as Locals<5>;
    return [
      repeatWhile(i32.unequal(row.get, end.get), [
        values.set(v128.load(row.get)),
        v128.store(least.get, f32x4.min(v128.load(least.get), values.get)),
        v128.store(most.get, f32x4.max(v128.load(most.get), values.get)),
        row.add(16),
        least.add(16),
        most.add(16),
      ]),
    ];
  },
};

/**
 * Lowers the four lanes at `least` and raises those at `most` to the finite values from `row` to `end`
 * (exclusive).
 */
export const widenFinite: WasmFunction = {
  parameters: { row: "i32", end: "i32", least: "i32", most: "i32" },
  locals: { values: "v128", finite: "v128", low: "v128", high: "v128" },
  body(local) {
    const [row, end, least, most] = ["row", "end", "least", "most"].map(local) as Locals<4>;
    const [values, finite, low, high] = ["values", "finite", "low", "high"].map(local) as Locals<4>;
    return [
      low.set(v128.load(least.get)),
      high.set(v128.load(most.get)),
      repeatWhile(i32.unequal(row.get, end.get), [
        values.set(v128.load(row.get)),
        finite.set(f32x4.more(INFINITY, f32x4.abs(values.get))),
        low.set(f32x4.min(low.get, v128.choose(values.get, INFINITY, finite.get))),
        high.set(f32x4.max(high.get, v128.choose(values.get, MINUS_INFINITY, finite.get))),
        row.add(16),
      ]),
      v128.store(least.get, low.get),
      v128.store(most.get, high.get),
    ];
  },
};
const INFINITY = v128.bytes([0, 0, 128, 127, 0, 0, 128, 127, 0, 0, 128, 127, 0, 0, 128, 127]);
const MINUS_INFINITY = v128.bytes([0, 0, 128, 255, 0, 0, 128, 255, 0, 0, 128, 255, 0, 0, 128, 255]);

/**
 * The minimum of each eight float32 from `row` to `end`, of the one before and of the one after. NaN if one
 * is NaN.
 */
export const leastOfEight: WasmFunction = ofEight(f32x4.min);

/** The maximum of the same values. */
export const mostOfEight: WasmFunction = ofEight(f32x4.max);

function ofEight(either: (a: Code, b: Code) => Code): WasmFunction {
  return {
    parameters: { row: "i32", end: "i32", into: "i32" },
    locals: { four: "v128" },
    body(local) {
      const [row, end, into, four] = ["row", "end", "into", "four"].map(local) as Locals<4>;
      const fold = (places: readonly number[]): Code =>
        four.set(either(four.get, v128.shuffle(four.get, four.get, places)));
      const before = v128.load(i32.add(row.get, i32.const(-4)));
      return [
        repeatWhile(i32.unequal(row.get, end.get), [
          four.set(
            either(
              either(before, v128.load(row.get)),
              either(v128.load(row.get, 16), v128.load(row.get, 20)),
            ),
          ),
          fold([8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7]),
          fold([4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11]),
          v128.storeWord(into.get, four.get),
          row.add(32),
          into.add(4),
        ]),
      ];
    },
  };
}
