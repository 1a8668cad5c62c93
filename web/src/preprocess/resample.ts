// The taps of a resampling filter: the source positions of each output position, and their weights in
// float64. Same as webbuild/preprocess/resample.py, which describes each interpolation.

import type { Letterbox } from "../manifest/manifest.js";

type Resampler = Letterbox["interpolation"];

/** For each output position, `count` source positions and their weights. An unused tap has weight 0. */
export interface Taps {
  count: number;
  at: Int32Array;
  weights: Float64Array;
}

type Tap = [at: number, weight: number];

/** Returns the taps of the output positions from `start` up to `stop` (exclusive), of `newSize`. */
export function taps(
  interpolation: Resampler,
  size: number,
  newSize: number,
  start: number,
  stop: number,
): Taps {
  const tapsAt = filter(interpolation, size, newSize);
  const count = tapCount(interpolation, size, newSize);
  const outputs = Math.max(0, stop - start);
  const made: Taps = {
    count,
    at: new Int32Array(outputs * count),
    weights: new Float64Array(outputs * count),
  };
  for (let output = 0; output < outputs; output++) {
    for (const [tap, [at, weight]] of tapsAt(start + output + 0.5).entries()) {
      made.at[output * count + tap] = Math.min(Math.max(at, 0), size - 1);
      made.weights[output * count + tap] = weight;
    }
  }
  return made;
}

/** The middle cell of five, whose bicubic taps are all inside. */
const MIDDLE = 2;

/** Returns the bicubic taps of the `scale` output positions in a cell, relative to that cell. */
export function enlargingPhases(scale: number): Taps {
  const size = 2 * MIDDLE + 1;
  const { at, ...rest } = taps("bicubic", size, size * scale, MIDDLE * scale, (MIDDLE + 1) * scale);
  return { ...rest, at: at.map((cell) => cell - MIDDLE) };
}

/**
 * Returns the bicubic taps to enlarge by a whole factor. The weights depend only on the position within a
 * cell, so that a tile gets exactly the same numbers as the whole picture.
 */
export function enlargingTaps(size: number, scale: number): Taps {
  const phases = enlargingPhases(scale);
  const { count } = phases;
  const places = size * scale * count;
  const made: Taps = { count, at: new Int32Array(places), weights: new Float64Array(places) };
  for (let place = 0; place < places; place++) {
    const cell = Math.floor(place / (count * scale));
    const phase = place % (count * scale);
    made.at[place] = Math.min(Math.max(cell + (phases.at[phase] ?? 0), 0), size - 1);
    made.weights[place] = phases.weights[phase] ?? 0;
  }
  return made;
}

function tapCount(interpolation: Resampler, size: number, newSize: number): number {
  switch (interpolation) {
    case "nearest":
      return 1;
    case "bilinear":
      return 2;
    case "bicubic":
      return 4;
    case "bilinear-antialias":
      return Math.ceil(Math.max(1, size / newSize)) * 2 + 1;
    default:
      return interpolation satisfies never;
  }
}

/**
 * Returns the function from the centre of an output position to its taps, which may be outside of the
 * picture.
 */
function filter(interpolation: Resampler, size: number, newSize: number): (middle: number) => Tap[] {
  switch (interpolation) {
    case "nearest":
      return (middle) => [[Math.floor((middle * size) / newSize), 1]];
    case "bilinear":
      return (middle) => {
        const position = Math.min(Math.max((middle * size) / newSize - 0.5, 0), size - 1);
        const first = Math.floor(position);
        const rest = position - first;
        return [
          [first, 1 - rest],
          [first + 1, rest],
        ];
      };
    case "bicubic":
      return (middle) => cubic((middle * size) / newSize - 0.5);
    case "bilinear-antialias":
      return triangle(size, newSize);
    default:
      return interpolation satisfies never;
  }
}

/** The parameter of the cubic convolution kernel. */
const A = -0.75;

function cubic(position: number): Tap[] {
  const first = Math.floor(position);
  const t = position - first;
  return [
    [first - 1, outer(t + 1)],
    [first, inner(t)],
    [first + 1, inner(1 - t)],
    [first + 2, outer(2 - t)],
  ];
}

/** The weight of a tap at most one pixel away. */
function inner(x: number): number {
  return ((A + 2) * x - (A + 3)) * x * x + 1;
}

/** The weight of a tap between one and two pixels away. */
function outer(x: number): number {
  return ((A * x - 5 * A) * x + 8 * A) * x - 4 * A;
}

function triangle(size: number, newSize: number): (middle: number) => Tap[] {
  const scale = size / newSize;
  const support = Math.max(1, scale);
  const narrowing = 1 / support;
  return (middle) => {
    const centre = middle * scale;
    const first = Math.max(Math.trunc(centre - support + 0.5), 0);
    const end = Math.min(Math.trunc(centre + support + 0.5), size);
    const found: Tap[] = [];
    let total = 0;
    for (let at = first; at < end; at++) {
      const weight = Math.max(1 - Math.abs((at - centre + 0.5) * narrowing), 0);
      found.push([at, weight]);
      total += weight;
    }
    return found.map(([at, weight]) => [at, weight / total]);
  };
}
