// Masks of one picture as one map: for each pixel the number of its object, from 1, the last one on top.

import type { ObjectMask } from "../../src/index.js";

export function maskMap(
  masks: readonly Pick<ObjectMask, "mask">[],
  pixels: number,
): Uint16Array<ArrayBuffer> {
  const map = new Uint16Array(pixels);
  for (const [index, { mask }] of masks.entries())
    for (let at = 0; at < pixels; at += 1) if (mask[at] === 1) map[at] = index + 1;
  return map;
}
