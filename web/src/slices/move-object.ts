// What was found in a slice, as it lies in the picture.

import type { Detection, Pose } from "../api/types.js";
import type { Slice } from "./grid.js";

/** Returns the object with its box, and its keypoints where it has some, in pixels of the picture. */
export function moveObject(found: Detection | Pose, { left, top }: Slice): Detection | Pose {
  const { x1, y1, x2, y2 } = found.box;
  const box = { x1: x1 + left, y1: y1 + top, x2: x2 + left, y2: y2 + top };
  if (!("keypoints" in found)) return { ...found, box };
  const keypoints = found.keypoints.map((point) => ({ ...point, x: point.x + left, y: point.y + top }));
  return { ...found, box, keypoints };
}
