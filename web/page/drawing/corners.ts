// The corners of a box that is not upright.

import type { Point } from "../../src/index.js";
import type { AnyDetection } from "../results/detections.js";

/** In their order around the box; null for an upright one. */
export function cornersOf(one: AnyDetection): readonly Point[] | null {
  if ("corners" in one) return one.corners;
  return "polygon" in one ? one.polygon.map(([x, y]) => ({ x, y })) : null;
}

/** The lengths of the sides from the first corner to the second, and to the last. */
export function sidesOf([first, second, , last]: readonly Point[]): [width: number, height: number] {
  const length = (to: Point | undefined): number =>
    first === undefined || to === undefined ? 0 : Math.hypot(to.x - first.x, to.y - first.y);
  return [length(second), length(last)];
}
