// Rectangles of the smallest area around points, as OpenCV's `minAreaRect` finds them.

import type { Corner, Polygon } from "./result.js";

export interface Rectangle {
  corners: Polygon;
  /** The shorter side. */
  side: number;
}

/** A rectangle along a direction, all of it times the length of that. */
interface Candidate {
  direction: Corner;
  square: number;
  ends: [left: number, top: number, right: number, bottom: number];
}

/**
 * Returns the smallest rectangle around a convex polygon. One of its sides lies along a side of the polygon; of equally
 * small ones it is the last, by that side's angle from 0 to a quarter turn: numbers of a bitmap are whole, so equal areas
 * are equal. With a `margin` it is around the polygon with a round border that wide.
 */
export function smallestRectangle(hull: readonly Corner[], margin = 0): Rectangle {
  const candidates = hull.map((from, at) => {
    const to = hull[(at + 1) % hull.length] ?? from;
    return rectangleAlong(hull, firstQuarter([to[0] - from[0], to[1] - from[1]]), margin);
  });
  const best = candidates.reduce((best, each) => {
    const more = areaOf(each) - areaOf(best);
    return more < 0 || (more === 0 && slopeOf(each) > slopeOf(best)) ? each : best;
  });
  return placed(best);
}

/** A rectangle's sides point to the right, down, left and up: the direction of the first. */
function firstQuarter([x, y]: Corner): Corner {
  if (x === 0 && y === 0) return [1, 0];
  return x > 0 && y >= 0 ? [x, y] : firstQuarter([-y, x]);
}

function rectangleAlong(hull: readonly Corner[], direction: Corner, margin: number): Candidate {
  const [x, y] = direction;
  const square = x * x + y * y;
  const grown = margin * Math.sqrt(square);
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [px, py] of hull) {
    const along = px * x + py * y;
    const across = py * x - px * y;
    left = Math.min(left, along);
    right = Math.max(right, along);
    top = Math.min(top, across);
    bottom = Math.max(bottom, across);
  }
  return { direction, square, ends: [left - grown, top - grown, right + grown, bottom + grown] };
}

function areaOf({ square, ends: [left, top, right, bottom] }: Candidate): number {
  return ((right - left) * (bottom - top)) / square;
}

function slopeOf({ direction: [x, y] }: Candidate): number {
  return y / x;
}

function placed({ direction: [x, y], square, ends: [left, top, right, bottom] }: Candidate): Rectangle {
  const corner = (along: number, across: number): Corner => [
    (along * x - across * y) / square,
    (along * y + across * x) / square,
  ];
  return {
    corners: [corner(left, top), corner(right, top), corner(right, bottom), corner(left, bottom)],
    side: Math.min(right - left, bottom - top) / Math.sqrt(square),
  };
}
