// Computes the share of the picture that a mask covers.

import { inSlices } from "../../src/export/slices.js";
import type { PlacedMask } from "../drawing/mask-map.js";

/** Pixels to count between two pauses. */
const slice = 1_000_000;

/** Returns the mask's share of a picture of `width` x `height` pixels, 0 to 1. */
export async function maskShare({ mask, box }: PlacedMask, width: number, height: number): Promise<number> {
  let sum = 0;
  if (mask instanceof Uint8Array)
    await inSlices(box.y2 - box.y1, Math.max(1, Math.floor(slice / width)), (first, end) => {
      for (let y = box.y1 + first; y < box.y1 + end; y += 1)
        for (let at = y * width + box.x1; at < y * width + box.x2; at += 1) sum += mask[at] ?? 0;
    });
  else for (const [index, count] of mask.counts.entries()) if (index % 2 === 1) sum += count;
  return sum / Math.max(1, width * height);
}
