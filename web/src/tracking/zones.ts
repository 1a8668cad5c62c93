// Counts crossings of lines, and tests zones: pure functions of a tracked stream's detections.

import type { Box, Detection, Point } from "../api/types.js";

/** A line whose crossings are counted, from `start` to `end`. */
export interface Line {
  start: Point;
  end: Point;
}

/** The crossings of a line so far. */
export interface Crossings {
  /** The number of crossings from the left of the line to its right, seen from `start` towards `end`. */
  readonly in: number;
  /** The number of crossings from its right to its left. */
  readonly out: number;
  /** By track, its last position off the line. Only the latest tracks are kept, the latest last. */
  readonly last: ReadonlyMap<number, Point>;
}

/** The point of a detection's box that counts. */
export type Anchor = "center" | "bottom";

/** The number of remembered tracks, besides those of the frame: ids grow for as long as a camera runs. */
const MOST_REMEMBERED = 1000;

const NONE: Crossings = { in: 0, out: 0, last: new Map() };

/**
 * Returns the crossings up to this frame: `before`, plus the tracks of `detections` that have moved across
 * the line since. A track that touches the line and turns back has not crossed it; neither has one that is
 * first seen on it. A track that was lost on the other side and found on this one has. Detections without a
 * track do not count.
 */
export function countCrossings(
  line: Line,
  detections: readonly Pick<Detection, "box" | "track">[],
  before: Crossings = NONE,
  anchor: Anchor = "center",
): Crossings {
  const last = new Map(before.last);
  const count = { in: 0, out: 0 };
  for (const { box, track } of detections) {
    if (track === undefined) continue;
    const point = anchorOf(box, anchor);
    const to = sideOf(line, point);
    if (!(Math.abs(to) > 0)) continue; // on the line, or NaN: it has not crossed yet
    const from = last.get(track);
    last.delete(track);
    last.set(track, point);
    if (from === undefined || Math.sign(sideOf(line, from)) === Math.sign(to)) continue;
    const way = { start: from, end: point };
    if (sideOf(way, line.start) * sideOf(way, line.end) > 0) continue; // past an end of the line
    count[to > 0 ? "in" : "out"]++;
  }
  for (const track of [...last.keys()].slice(0, -MOST_REMEMBERED - detections.length)) last.delete(track);
  return { in: before.in + count.in, out: before.out + count.out, last };
}

/** Returns whether a detection is in a zone: a polygon of at least three points, the first not repeated. */
export function inZone(
  zone: readonly Point[],
  { box }: Pick<Detection, "box">,
  anchor: Anchor = "center",
): boolean {
  const { x, y } = anchorOf(box, anchor);
  let inside = false;
  zone.forEach((to, index) => {
    const from = zone.at(index - 1) ?? to;
    if (from.y > y === to.y > y) return;
    if (x < from.x + ((y - from.y) / (to.y - from.y)) * (to.x - from.x)) inside = !inside;
  });
  return inside;
}

function anchorOf({ x1, y1, x2, y2 }: Box, anchor: Anchor): Point {
  return { x: (x1 + x2) / 2, y: anchor === "bottom" ? y2 : (y1 + y2) / 2 };
}

/** Returns a number above 0 on the right of the line, below 0 on its left; y points down. */
function sideOf({ start, end }: Line, { x, y }: Point): number {
  return (end.x - start.x) * (y - start.y) - (end.y - start.y) * (x - start.x);
}
