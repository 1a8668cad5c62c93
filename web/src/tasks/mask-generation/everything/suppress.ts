// Keeps the best of masks with overlapping boxes: greedy non-maximum suppression, as torchvision's `nms`.

import type { Box } from "../../../api/geometry.js";
import type { FoundMask } from "./result.js";

/** Returns the kept masks, by falling rank; of equal ranks the earlier first. */
export function suppress<T extends Pick<FoundMask, "box">>(
  masks: readonly T[],
  rank: (mask: T) => number,
  threshold: number,
): T[] {
  const kept: T[] = [];
  for (const mask of [...masks].sort((one, other) => rank(other) - rank(one)))
    if (!kept.some(({ box }) => overlap(box, mask.box) > threshold)) kept.push(mask);
  return kept;
}

/** Returns the IoU in float32. Boxes end at the centre of their last pixel, as in Segment Anything. */
function overlap(one: Box, other: Box): number {
  const { fround, min, max } = Math;
  const width = max(0, min(one.x2, other.x2) - 1 - max(one.x1, other.x1));
  const height = max(0, min(one.y2, other.y2) - 1 - max(one.y1, other.y1));
  const common = fround(width * height);
  return fround(common / fround(fround(areaOf(one) + areaOf(other)) - common));
}

function areaOf({ x1, y1, x2, y2 }: Box): number {
  return Math.fround((x2 - 1 - x1) * (y2 - 1 - y1));
}
