// How much of the picture a mask covers.

import { inSlices } from "../../src/export/slices.js";
import type { PlacedMask } from "../drawing/mask-map.js";

/** Pixels that are counted before the page may do something else. */
const slice = 1_000_000;

/** Returns the part of a picture of `width` x `height` pixels. */
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
