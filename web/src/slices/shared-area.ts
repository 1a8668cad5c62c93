// The common area of two convex polygons.

import type { Point } from "../api/types.js";

/** The corners of the clipped polygon, x and y alternating. Each clipping adds at most one corner. */
const MOST_CORNERS = 16;
const BEFORE = new Float64Array(MOST_CORNERS * 2);
const AFTER = new Float64Array(MOST_CORNERS * 2);

/**
 * Returns the common area: clips the first polygon by each side of the second (Sutherland-Hodgman). Corners
 * are clockwise on a screen, 16 at most in total. Nothing is allocated: 10,000 rotated boxes may have
 * millions of pairs.
 */
export function sharedArea(first: readonly Point[], second: readonly Point[]): number {
  let [left, next] = [BEFORE, AFTER];
  let count = 0;
  for (const { x, y } of first) {
    left[count++] = x;
    left[count++] = y;
  }
  let from = second.at(-1);
  for (const to of second) {
    if (from !== undefined) count = clip(left, count, next, from, to);
    if (count === 0) return 0;
    [left, next] = [next, left];
    from = to;
  }
  return halfSum(left, count);
}

/** Returns the area of a polygon: positive if its corners are clockwise on a screen. */
export function areaOf(corners: readonly Point[]): number {
  const numbers = corners.flatMap(({ x, y }) => [x, y]);
  return halfSum(numbers, numbers.length);
}

/** Half the sum of the shoelace formula. */
function halfSum(numbers: ArrayLike<number>, count: number): number {
  let sum = 0;
  let [beforeX, beforeY] = [numbers[count - 2] ?? 0, numbers[count - 1] ?? 0];
  for (let at = 0; at < count; at += 2) {
    const [x, y] = [numbers[at] ?? 0, numbers[at + 1] ?? 0];
    sum += beforeX * y - x * beforeY;
    [beforeX, beforeY] = [x, y];
  }
  return sum / 2;
}

/** Writes the part of a polygon on the right side of a line, and returns how many numbers it has. */
function clip(polygon: Float64Array, count: number, into: Float64Array, from: Point, to: Point): number {
  const [across, down] = [to.x - from.x, to.y - from.y];
  let [beforeX, beforeY] = [polygon[count - 2] ?? 0, polygon[count - 1] ?? 0];
  let before = across * (beforeY - from.y) - down * (beforeX - from.x);
  let written = 0;
  for (let at = 0; at < count; at += 2) {
    const [x, y] = [polygon[at] ?? 0, polygon[at + 1] ?? 0];
    const side = across * (y - from.y) - down * (x - from.x);
    if (side < 0 !== before < 0) {
      const part = before / (before - side);
      into[written++] = beforeX + part * (x - beforeX);
      into[written++] = beforeY + part * (y - beforeY);
    }
    if (side >= 0) {
      into[written++] = x;
      into[written++] = y;
    }
    [beforeX, beforeY, before] = [x, y, side];
  }
  return written;
}
