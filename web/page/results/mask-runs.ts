// Computes a mask's COCO run lengths in slices of columns, so that the page stays responsive.

import { runLengths } from "../../src/export/rle.js";
import { inSlices } from "../../src/export/slices.js";
import type { Box, MaskRuns } from "../../src/index.js";
import type { Size } from "../drawing/fit.js";

/** Pixels to visit between two pauses. Columns of a large picture miss the CPU cache. */
const usual = 1_000_000;

/** `mask` has a byte for each pixel of the picture, row by row: 1 inside the object, which is inside `box`. */
export async function maskRuns(
  mask: Uint8Array,
  box: Box,
  { width, height }: Size,
  slice = usual,
): Promise<MaskRuns> {
  const counts: number[] = [];
  const columns = Math.max(1, Math.floor(slice / height));
  await inSlices(width, columns, (from, end) => {
    const within = { ...box, x1: Math.max(box.x1, from) - from, x2: Math.min(box.x2, end) - from };
    append(
      counts,
      runLengths(end - from, height, (x, y) => mask[y * width + from + x] === 1, within),
    );
  });
  return { width, height, counts: Uint32Array.from(counts) };
}

/** Appends the run lengths of the next columns, and merges a run that continues. */
function append(counts: number[], [zeros = 0, ...rest]: readonly number[]): void {
  const endsInOnes = counts.length > 0 && counts.length % 2 === 0;
  if (!endsInOnes) counts.push((counts.pop() ?? 0) + zeros);
  else if (zeros > 0) counts.push(zeros);
  else counts.push((counts.pop() ?? 0) + (rest.shift() ?? 0));
  for (const run of rest) counts.push(run);
}
