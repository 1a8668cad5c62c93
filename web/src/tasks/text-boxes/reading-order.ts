// Sorts text boxes from top to bottom, and from left to right in a row: PaddleOCR's `sorted_boxes`.

import type { Polygon } from "./result.js";

/**
 * Boxes are in one row if the heights of their first corners differ by less than this many pixels of the
 * picture.
 */
const ROW_HEIGHT = 10;

export function inReadingOrder<T extends { polygon: Polygon }>(boxes: readonly T[]): T[] {
  const sorted: T[] = [];
  const byHeight = [...boxes].sort((one, other) => {
    const [[x1, y1], [x2, y2]] = [one.polygon[0], other.polygon[0]];
    return y1 - y2 || x1 - x2;
  });
  for (const box of byHeight) {
    let at = sorted.length;
    while (at > 0 && isRightOf(sorted[at - 1], box)) at--;
    sorted.splice(at, 0, box);
  }
  return sorted;
}

function isRightOf(
  before: { polygon: Polygon } | undefined,
  { polygon: [[x, y]] }: { polygon: Polygon },
): boolean {
  if (before === undefined) return false;
  const [[left, top]] = before.polygon;
  return Math.abs(y - top) < ROW_HEIGHT && x < left;
}
