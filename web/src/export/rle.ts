// Run-length encoding of binary masks in COCO's order: column by column, the first run is of zeros.

import type { Box } from "../api/geometry.js";
import type { MaskRuns } from "../tasks/mask-generation/everything/result.js";

/** The lengths of the runs; the first run is of zeros. */
export type Runs = readonly number[] | Uint32Array;

/** Whether the pixel at column `x` and row `y` belongs to the mask. */
export type PixelTest = (x: number, y: number) => boolean;

/**
 * Returns the lengths of the runs of a mask of `width` x `height` pixels, in column-major order: zeros, ones,
 * zeros ... There are no ones outside of the box, which has whole pixels.
 * @internal
 */
export function runLengths(
  width: number,
  height: number,
  inside: PixelTest,
  { x1, y1, x2, y2 }: Box = { x1: 0, y1: 0, x2: width, y2: height },
): number[] {
  const runs: number[] = [];
  let current = false;
  let begun = 0;
  const turn = (place: number): void => {
    runs.push(place - begun);
    begun = place;
    current = !current;
  };
  const isWhole = y1 === 0 && y2 === height;
  for (let x = x1; x < x2; x += 1) {
    for (let y = y1; y < y2; y += 1) if (inside(x, y) !== current) turn(x * height + y);
    if (current && !isWhole) turn(x * height + y2);
  }
  if (current && x2 < width) turn(x2 * height);
  if (begun < width * height || runs.length === 0) runs.push(width * height - begun);
  return runs;
}

/** Returns the pixels of a mask, row by row: 1 inside the object, 0 outside. */
export function maskPixels({ width, height, counts }: MaskRuns): Uint8Array<ArrayBuffer> {
  const pixels = new Uint8Array(width * height);
  let at = 0;
  for (const [index, count] of counts.entries()) {
    const end = at + count;
    for (; index % 2 === 1 && at < end; at += 1) pixels[(at % height) * width + Math.floor(at / height)] = 1;
    at = end;
  }
  return pixels;
}

/** Returns a test for single pixels of a mask in runs, without decoding all of them. @internal */
export function runTest({ height, counts }: MaskRuns): PixelTest {
  let sum = 0;
  const ends = counts.map((count) => {
    sum += count;
    return sum;
  });
  return (x, y) => {
    const place = x * height + y;
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) > place) high = middle;
      else low = middle + 1;
    }
    return low % 2 === 1;
  };
}

/** Returns the number of ones in runs. @internal */
export function countPixels(runs: Runs): number {
  let sum = 0;
  for (const [index, run] of runs.entries()) if (index % 2 === 1) sum += run;
  return sum;
}

/**
 * Returns runs as the text that pycocotools writes. From the fourth on, each run is its difference from the
 * run two before. Numbers are in groups of five bits, least significant first; bit 5 says that more follow,
 * and 48 makes it printable.
 * @internal
 */
export function compressRuns(runs: Runs): string {
  let text = "";
  for (const [index, run] of runs.entries()) {
    let rest = index > 2 ? run - (runs[index - 2] ?? 0) : run;
    let more = true;
    while (more) {
      const bits = rest & 0x1f;
      rest >>= 5;
      more = bits & 0x10 ? rest !== -1 : rest !== 0;
      text += String.fromCharCode((more ? bits | 0x20 : bits) + 48);
    }
  }
  return text;
}
