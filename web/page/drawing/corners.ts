// The corners of a rotated box.

import type { Point } from "../../src/index.js";
import type { AnyDetection } from "../results/detections.js";

/** Returns the corners in order around the box; null for an upright box. */
export function cornersOf(one: AnyDetection): readonly Point[] | null {
  if ("corners" in one) return one.corners;
  return "polygon" in one ? one.polygon.map(([x, y]) => ({ x, y })) : null;
}

/** Returns the lengths of the sides from the first corner to the second, and to the last. */
export function sidesOf([first, second, , last]: readonly Point[]): [width: number, height: number] {
  const length = (to: Point | undefined): number =>
    first === undefined || to === undefined ? 0 : Math.hypot(to.x - first.x, to.y - first.y);
  return [length(second), length(last)];
}
