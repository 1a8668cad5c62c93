// The weights of tiles where they overlap, see TilePlan: same as webbuild/preprocess/tile_blend.py.

import type { Span } from "./plan.js";

/** The start of a tile along an axis of the result, and u_k and u_(k + 1) at each of its pixels. */
interface Ramps {
  start: number;
  rise: Float64Array;
  fall: Float64Array;
}

/** Returns the ramps of a tile along an axis, with `length` pixels of the result. */
export function tileRamps({ start, end }: Span, feather: number, scale: number, length: number): Ramps {
  const [isFirst, isLast] = [start === 0, end * scale >= length];
  const first = isFirst ? 0 : (start - feather) * scale;
  const last = isLast ? length : Math.min(length, (end + feather) * scale);
  const ramp = (at: number, cut: number): number => {
    const x = (first + at + 0.5) / scale;
    if (feather === 0) return x > cut ? 1 : 0;
    return Math.min(Math.max((x - cut + feather) / (2 * feather), 0), 1);
  };
  const count = { length: last - first };
  return {
    start: first,
    rise: Float64Array.from(count, (_, at) => (isFirst ? 1 : ramp(at, start))),
    fall: Float64Array.from(count, (_, at) => (isLast ? 0 : ramp(at, end))),
  };
}

/**
 * Returns the weight of a tile relative to all tiles up to it, at each pixel of one of its rows. Drawn in
 * order with these shares, tiles get their final weights, and the weights of the tiles drawn so far always
 * sum to 1.
 */
export function tileShares(columns: Ramps, rows: Ramps, line: number): Float64Array {
  const above = 1 - (rows.rise[line] ?? 1);
  const down = (rows.rise[line] ?? 1) - (rows.fall[line] ?? 0);
  return columns.rise.map((rise, at) => {
    const fall = columns.fall[at] ?? 0;
    const soFar = above + down * (1 - fall);
    return soFar > 0 ? (down * (rise - fall)) / soFar : 0;
  });
}
