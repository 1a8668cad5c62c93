// Loops over pixels as WebAssembly, summing two float64 at a time. Multiplications and additions are separate
// and in the order of webbuild/preprocess/resample.py, so that results are equal bit for bit.

import {
  type Code,
  f64x2,
  i32,
  type Locals,
  repeatWhile,
  select,
  v128,
  type WasmFunction,
} from "./assemble.js";

/** Bytes of a tap: its weight in float64, then the byte offset of its pixel from the start of the row. */
const TAP_BYTES = 12;

const ALPHA = v128.bytes([0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255]);
const ALL = v128.bytes(Array(16).fill(255));
const ZERO = v128.bytes(Array(16).fill(0));
const IN_PLACE = v128.bytes([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
const RED_AND_BLUE_SWAPPED = v128.bytes([2, 1, 0, 3, 6, 5, 4, 7, 10, 9, 8, 11, 14, 13, 12, 15]);

/** Whether the alpha of all pixels in `combined` (their bitwise and) is 255. */
function hasAlpha(combined: Code, alpha: Code): Code {
  return i32.not(v128.any(v128.without(alpha, combined)));
}

/**
 * Converts pixels to opaque RGBA in place, from BGRA if `isBgr`. Returns whether they were opaque. `end -
 * begin` is a multiple of 16.
 */
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
 * Computes the weighted sums of two rows' pixels in the two lanes. `taps` are in the order of the output
 * positions, `ends` is the end of each position's taps. Returns whether all pixels are opaque; if not, the
 * sums are invalid.
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
