// The area that two convex polygons share.

import type { Point } from "../api/types.js";

/** Clips the first by each side of the second (Sutherland and Hodgman). The corners go clockwise on a screen. */
export function sharedArea(first: readonly Point[], second: readonly Point[]): number {
  return areaOf(second.reduce((left, end, at) => clipped(left, second.at(at - 1) ?? end, end), first));
}

/** The area of a polygon: positive where its corners go clockwise on a screen. */
export function areaOf(corners: readonly Point[]): number {
  const twice = corners.map((point, at) => {
    const before = corners.at(at - 1) ?? point;
    return before.x * point.y - point.x * before.y;
  });
  return twice.reduce((sum, each) => sum + each, 0) / 2;
}

/** The part of a polygon on the inner side of a line, which is to its right. */
function clipped(polygon: readonly Point[], from: Point, to: Point): readonly Point[] {
  const sides = polygon.map(({ x, y }) => (to.x - from.x) * (y - from.y) - (to.y - from.y) * (x - from.x));
  return polygon.flatMap((point, at) => {
    const [before, side] = [sides.at(at - 1) ?? 0, sides[at] ?? 0];
    const kept = side >= 0 ? [point] : [];
    if (side < 0 === before < 0) return kept;
    const last = polygon.at(at - 1) ?? point;
    const part = before / (before - side);
    return [{ x: last.x + part * (point.x - last.x), y: last.y + part * (point.y - last.y) }, ...kept];
  });
}
