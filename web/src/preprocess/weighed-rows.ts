// Resampling a picture in float64, never rounded. Every operation is in the same order in webbuild/preprocess/resample.py, so
// that the results are equal bit for bit.

import type { Pixels } from "./pixels.js";
import type { Taps } from "./resample.js";

/** The weighted sums of the picture's RGB over white, row by row: each is written over the one before. */
export function* weighedRows(pixels: Pixels, columns: Taps, rows: Taps): Generator<Float64Array> {
  const into = new Float64Array((columns.at.length / columns.count) * 3);
  const lines = new Map<number, Float64Array>();
  const spare: Float64Array[] = [];
  const used = usedTaps(columns);
  for (let first = 0; first < rows.at.length; first += rows.count) {
    into.fill(0);
    const top = leastTap(rows, first);
    for (const [y, line] of lines) {
      if (y >= top) continue;
      lines.delete(y);
      spare.push(line);
    }
    for (let tap = first; tap < first + rows.count; tap++) {
      const weight = rows.weights[tap] ?? 0;
      if (weight === 0) continue;
      const y = rows.at[tap] ?? 0;
      const line =
        lines.get(y) ?? resampleLine(pixels, y, used, spare.pop() ?? new Float64Array(into.length));
      lines.set(y, line);
      addWeighted(into, line, weight);
    }
    yield into;
  }
}

/** Taps, and behind the last of each output position that has a weight. */
interface UsedTaps extends Taps {
  ends: Int32Array;
}

function usedTaps(taps: Taps): UsedTaps {
  const { count, weights } = taps;
  const ends = Int32Array.from({ length: weights.length / count }, (_, output) => {
    let end = (output + 1) * count;
    while (end > output * count && weights[end - 1] === 0) end--;
    return end;
  });
  return { ...taps, ends };
}

/** The first row of the picture that an output position needs. */
function leastTap({ count, at, weights }: Taps, first: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let tap = first; tap < first + count; tap++)
    if (weights[tap] !== 0) least = Math.min(least, at[tap] ?? 0);
  return least;
}

function addWeighted(into: Float64Array, line: Float64Array, weight: number): void {
  for (let at = 0; at < into.length; at++) into[at] = (into[at] ?? 0) + weight * (line[at] ?? 0);
}

/** Writes a row of the picture, its columns weighed, into `line`, and returns that. */
function resampleLine(pixels: Pixels, y: number, columns: UsedTaps, line: Float64Array): Float64Array {
  const { width, data } = pixels;
  const begin = y * width * 4;
  const end = begin + width * 4;
  // Of an opaque colour the part over white is the colour itself.
  if (isOpaque(data, begin, end)) weighColumns(data, begin, 4, columns, line);
  else weighColumns(lineOverWhite(data, begin, end), 0, 3, columns, line);
  return line;
}

function isOpaque(data: Pixels["data"], begin: number, end: number): boolean {
  for (let at = begin + 3; at < end; at += 4) if (data[at] !== 255) return false;
  return true;
}

/** The three channels of a pixel are summed side by side: what is read of a tap serves all of them. */
function weighColumns(
  source: Pixels["data"] | Float64Array,
  begin: number,
  step: number,
  { count, at, weights, ends }: UsedTaps,
  line: Float64Array,
): void {
  for (let output = 0, first = 0, into = 0; into < line.length; output++, first += count, into += 3) {
    const end = ends[output] ?? 0;
    let red = 0;
    let green = 0;
    let blue = 0;
    for (let tap = first; tap < end; tap++) {
      const weight = weights[tap] ?? 0;
      const from = begin + (at[tap] ?? 0) * step;
      red += weight * (source[from] ?? 0);
      green += weight * (source[from + 1] ?? 0);
      blue += weight * (source[from + 2] ?? 0);
    }
    line[into] = red;
    line[into + 1] = green;
    line[into + 2] = blue;
  }
}

function lineOverWhite(data: Pixels["data"], begin: number, end: number): Float64Array {
  const line = new Float64Array(((end - begin) / 4) * 3);
  for (let from = begin, into = 0; from < end; from += 4, into += 3) {
    const alpha = (data[from + 3] ?? 0) / 255;
    const white = 255 * (1 - alpha);
    line[into] = (data[from] ?? 0) * alpha + white;
    line[into + 1] = (data[from + 1] ?? 0) * alpha + white;
    line[into + 2] = (data[from + 2] ?? 0) * alpha + white;
  }
  return line;
}
