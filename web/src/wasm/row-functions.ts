// Loops over pixels as WebAssembly, two float64 at a time. Multiplications and additions are apart and in the order of
// webbuild/preprocess/resample.py, so that every bit is the same.

import {
  type Code,
  f32x4,
  f64x2,
  i32,
  i32x4,
  type Local,
  repeatWhile,
  select,
  v128,
  type WasmFunction,
} from "./assemble.js";

/** Bytes of a tap: its weight in float64, then how many bytes behind the row's begin its pixel lies. */
const TAP_BYTES = 12;

const ALPHA = v128.bytes([0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255]);
const ALL = v128.bytes(Array(16).fill(255));
const ZERO = v128.bytes(Array(16).fill(0));
const IN_PLACE = v128.bytes([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
const RED_AND_BLUE_SWAPPED = v128.bytes([2, 1, 0, 3, 6, 5, 4, 7, 10, 9, 8, 11, 14, 13, 12, 15]);

/** Whether the alpha of all pixels that were combined by `and` is 255. */
function hasAlpha(combined: Code, alpha: Code): Code {
  return i32.not(v128.any(v128.without(alpha, combined)));
}

/** Pixels into opaque RGBA, in place, of BGRA where `isBgr`. Returns whether they were opaque. `end - begin` is a multiple of 16. */
export const toOpaqueRgba: WasmFunction = {
  parameters: { begin: "i32", end: "i32", isBgr: "i32" },
  locals: { all: "v128", order: "v128", four: "v128" },
  result: "i32",
  body(local) {
    const [begin, end, all, order, four] = ["begin", "end", "all", "order", "four"].map(local) as Locals<5>;
    return [
      all.set(ALL),
      order.set(select(RED_AND_BLUE_SWAPPED, IN_PLACE, local("isBgr").get)),
      repeatWhile(i32.unequal(begin.get, end.get), [
        four.set(v128.load(begin.get)),
        all.set(v128.and(all.get, four.get)),
        v128.store(begin.get, v128.or(v128.swizzle(four.get, order.get), ALPHA)),
        begin.add(16),
      ]),
      hasAlpha(all.get, ALPHA),
    ];
  },
};

/**
 * The weighted sums of two rows' pixels, side by side in the two lanes: `taps` one output position after another, `ends`
 * where those of each end. Returns whether all pixels that were read are opaque; else the sums are none.
 */
export const weighColumns: WasmFunction = {
  parameters: {
    first: "i32",
    second: "i32",
    taps: "i32",
    ends: "i32",
    stop: "i32",
    intoFirst: "i32",
    intoSecond: "i32",
  },
  locals: {
    at: "i32",
    end: "i32",
    pixels: "v128",
    all: "v128",
    weight: "v128",
    red: "v128",
    green: "v128",
    blue: "v128",
  },
  result: "i32",
  body(local) {
    const [taps, ends, at, end] = ["taps", "ends", "at", "end"].map(local) as Locals<4>;
    const [pixels, all, weight] = ["pixels", "all", "weight"].map(local) as Locals<3>;
    const sums = ["red", "green", "blue"].map(local) as Locals<3>;
    const address = (row: string): Code => i32.add(local(row).get, at.get);
    const weighed = (channel: number): Code => {
      const words = v128.swizzle(
        pixels.get,
        v128.bytes([channel, 255, 255, 255, channel + 4, ...Array(11).fill(255)]),
      );
      return f64x2.mul(weight.get, f64x2.fromWords(words));
    };
    const stores = (row: string, lane: number): Code[] => [
      ...sums.map((sum, channel) => v128.storeLane(local(row).get, lane, sum.get, channel * 8)),
      local(row).add(24),
    ];
    return [
      all.set(ALL),
      repeatWhile(i32.unequal(ends.get, local("stop").get), [
        end.set(i32.load(ends.get)),
        ...sums.map((sum) => sum.set(ZERO)),
        repeatWhile(i32.unequal(taps.get, end.get), [
          weight.set(f64x2.loadSplat(taps.get)),
          at.set(i32.load(taps.get, 8)),
          pixels.set(v128.loadSecondWord(address("second"), v128.loadWord(address("first")))),
          all.set(v128.and(all.get, pixels.get)),
          ...sums.map((sum, channel) => sum.set(f64x2.add(sum.get, weighed(channel)))),
          taps.add(TAP_BYTES),
        ]),
        ...stores("intoFirst", 0),
        ...stores("intoSecond", 1),
        ends.add(4),
      ]),
      hasAlpha(all.get, ALPHA_OF_TWO),
    ];
  },
};
const ALPHA_OF_TWO = v128.bytes([0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 0, 0, 0, 0, 0]);

/** Adds `weight` times a line to the sums from `into` to `end`. */
export const addWeighted: WasmFunction = {
  parameters: { into: "i32", end: "i32", line: "i32", weight: "f64" },
  locals: {},
  body(local) {
    const [into, end, line, weight] = ["into", "end", "line", "weight"].map(local) as Locals<4>;
    const weighed = f64x2.mul(f64x2.splat(weight.get), v128.load(line.get));
    return [
      repeatWhile(i32.unequal(into.get, end.get), [
        v128.store(into.get, f64x2.add(v128.load(into.get), weighed)),
        into.add(16),
        line.add(16),
      ]),
    ];
  },
};

type Locals<Count extends number, Tuple extends Local[] = []> = Tuple["length"] extends Count
  ? Tuple
  : Locals<Count, [...Tuple, Local]>;

/**
 * A row of float32 at columns of a picture, into a line of float64 from `into` to `end`. `taps` has 48 bytes for two columns:
 * the bytes at which their first cells lie in the row, and their second ones; what of the first cells counts, and of the second.
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

/** Two lines of float64, each times its weight, into a row of float32 from `into` to `end`. */
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

/**
 * Enters a row of float32, times `weight`, under the number `label`: where it is more than the best so far it is the best.
 * Returns how many are at least `threshold`. All rows are as long as `row` to `end`, a multiple of 16 bytes.
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
        // What holds is -1 in its lane.
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

/** Lowers `least` and raises `most`, rows of float32, to what a row has, from `row` to `end`. NaN stays. */
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

/** Lowers the four lanes at `least` and raises those at `most` to the finite values from `row` to `end`, which is behind it. */
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

/** The least of each eight float32 from `row` to `end`, of the one before and of the one after. NaN where one is. */
export const leastOfEight: WasmFunction = ofEight(f32x4.min);

/** The largest of them. */
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
