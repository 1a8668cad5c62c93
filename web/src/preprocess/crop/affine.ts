// Affine transforms of the plane, as in webbuild/preprocess/affine.py.

import type { Point } from "../../api/types.js";

/** (x, y) -> (xx x + xy y + x0, yx x + yy y + y0). */
export interface Affine {
  xx: number;
  xy: number;
  x0: number;
  yx: number;
  yy: number;
  y0: number;
}

export function applyAffine({ xx, xy, x0, yx, yy, y0 }: Affine, x: number, y: number): Point {
  return { x: xx * x + xy * y + x0, y: yx * x + yy * y + y0 };
}

type Pair = readonly [number, number];

/**
 * Returns the similarity transform from `points` to `onto`: the inverse of the one that maps `onto` to `points` with the least
 * squared error. Null if all points are the same, or all rotations fit equally well.
 *
 * With `onto` and `points` as complex numbers z and w around their means: w = a z, a = sum(conj(z) w) / sum(|z|²).
 */
export function similarity(points: readonly Pair[], onto: readonly Pair[]): Affine | null {
  const [wx, wy] = mean(points);
  const [zx, zy] = mean(onto);
  let spread = 0;
  let real = 0;
  let imaginary = 0;
  for (const [index, [px, py]] of points.entries()) {
    const [qx, qy] = onto[index] ?? [Number.NaN, Number.NaN];
    const [ux, uy, vx, vy] = [qx - zx, qy - zy, px - wx, py - wy];
    spread += ux * ux + uy * uy;
    real += ux * vx + uy * vy;
    imaginary += ux * vy - uy * vx;
  }
  const size = real * real + imaginary * imaginary;
  if (!(spread > 0) || !(size > 0)) return null;
  const backReal = (real * spread) / size; // 1 / a
  const backImaginary = (-imaginary * spread) / size;
  return {
    xx: backReal,
    xy: -backImaginary,
    x0: zx - (backReal * wx - backImaginary * wy),
    yx: backImaginary,
    yy: backReal,
    y0: zy - (backReal * wy + backImaginary * wx),
  };
}

function mean(points: readonly Pair[]): Pair {
  const [x, y] = points.reduce<Pair>(([left, top], [px, py]) => [left + px, top + py], [0, 0]);
  return [x / points.length, y / points.length];
}
