// Resampling a picture in float64, never rounded: the runtime's half of webbuild/preprocess/resample.py, which says what
// each interpolation is. Every operation is in the same order there, so that the results are equal bit for bit.

import type { Letterbox } from "../manifest/manifest.js";
import type { Pixels } from "./pixels.js";

type Resampler = Letterbox["interpolation"];

/** For each output position `count` source positions and their weights; an unused tap has weight 0. */
export interface Taps {
  count: number;
  at: Int32Array;
  weights: Float64Array;
}

type Tap = [at: number, weight: number];

/** Returns the taps of the output positions from `start` to before `stop`, of `newSize`. */
export function taps(
  interpolation: Resampler,
  size: number,
  newSize: number,
  start: number,
  stop: number,
): Taps {
  const weigh = weigher(interpolation, size, newSize);
  const count = tapCount(interpolation, size, newSize);
  const outputs = Math.max(0, stop - start);
  const made: Taps = {
    count,
    at: new Int32Array(outputs * count),
    weights: new Float64Array(outputs * count),
  };
  for (let output = 0; output < outputs; output++) {
    for (const [tap, [at, weight]] of weigh(start + output + 0.5).entries()) {
      made.at[output * count + tap] = Math.min(Math.max(at, 0), size - 1);
      made.weights[output * count + tap] = weight;
    }
  }
  return made;
}

/** The cell of a small picture of five whose bicubic taps all lie in it. */
const MIDDLE = 2;

/** The bicubic taps of each remainder of a position by `scale`, for the cell that is 0. */
export function enlargingPhases(scale: number): Taps {
  const size = 2 * MIDDLE + 1;
  const { at, ...rest } = taps("bicubic", size, size * scale, MIDDLE * scale, (MIDDLE + 1) * scale);
  return { ...rest, at: at.map((cell) => cell - MIDDLE) };
}

/**
 * Returns the bicubic taps onto a whole number of times the size. Their weights depend on a position's remainder alone, so
 * that a tile has the very numbers of the whole picture.
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

/** Returns the picture's RGB over white, [rows, columns, 3]. */
export function resample(pixels: Pixels, columns: Taps, rows: Taps, interpolation: Resampler): Float64Array {
  const width = columns.at.length / columns.count;
  const height = rows.at.length / rows.count;
  const result = new Float64Array(height * width * 3);
  let at = 0;
  for (const row of weighedRows(pixels, columns, rows)) {
    result.set(row, at);
    at += row.length;
  }
  return interpolation === "bicubic" ? result.map((value) => Math.min(Math.max(value, 0), 255)) : result;
}

/** The weighted sums of the picture's RGB over white, row by row: each is written over the one before. */
export function* weighedRows(pixels: Pixels, columns: Taps, rows: Taps): Generator<Float64Array> {
  const into = new Float64Array((columns.at.length / columns.count) * 3);
  const source = new Float64Array(pixels.width * 3);
  const lines = new Map<number, Float64Array>();
  for (let first = 0; first < rows.at.length; first += rows.count) {
    into.fill(0);
    const top = Math.min(...rows.at.subarray(first, first + rows.count));
    for (const y of lines.keys()) if (y < top) lines.delete(y);
    for (let tap = first; tap < first + rows.count; tap++) {
      const weight = rows.weights[tap] ?? 0;
      if (weight === 0) continue;
      const y = rows.at[tap] ?? 0;
      const line = lines.get(y) ?? resampledLine(lineOverWhite(pixels, y, source), columns);
      lines.set(y, line);
      addWeighted(into, line, weight);
    }
    yield into;
  }
}

function addWeighted(into: Float64Array, line: Float64Array, weight: number): void {
  for (let at = 0; at < into.length; at++) into[at] = (into[at] ?? 0) + weight * (line[at] ?? 0);
}

/** The three channels of a pixel are summed side by side: what is read of a tap serves all of them. */
function resampledLine(source: Float64Array, { count, at, weights }: Taps): Float64Array {
  const line = new Float64Array((at.length / count) * 3);
  for (let into = 0, first = 0; into < line.length; into += 3, first += count) {
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
  return line;
}

/** Writes a row of the picture into `line`, and returns that. */
function lineOverWhite({ width, data }: Pixels, y: number, line: Float64Array): Float64Array {
  const end = (y + 1) * width * 4;
  for (let from = y * width * 4, into = 0; from < end; from += 4, into += 3) {
    const alpha = (data[from + 3] ?? 0) / 255;
    const white = 255 * (1 - alpha);
    line[into] = (data[from] ?? 0) * alpha + white;
    line[into + 1] = (data[from + 1] ?? 0) * alpha + white;
    line[into + 2] = (data[from + 2] ?? 0) * alpha + white;
  }
  return line;
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

/** Returns what gives the taps of the output position whose middle is given; they may lie outside the picture. */
function weigher(interpolation: Resampler, size: number, newSize: number): (middle: number) => Tap[] {
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

/** The cubic kernel's only parameter. */
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
