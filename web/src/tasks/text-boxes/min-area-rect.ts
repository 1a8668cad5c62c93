// The rotated rectangle of the smallest area around a convex polygon: OpenCV's `minAreaRect`.

import type { Corner, Polygon } from "./result.js";

export interface Rectangle {
  corners: Polygon;
  /** The shorter side. */
  shortSide: number;
}

/** A rectangle along `direction`, a vector of any length: `ends` are in units of its length. */
interface Candidate {
  direction: Corner;
  squaredLength: number;
  ends: [left: number, top: number, right: number, bottom: number];
}

/**
 * Returns the rectangle of the smallest area; one of its sides is along a side of the polygon. Of equal areas
 * it is the one whose side has the largest angle in 0° to 90°: with integer coordinates, equal areas are
 * exactly equal. A `margin` first grows the polygon by a round border of that width.
 */
export function minAreaRect(hull: readonly Corner[], margin = 0): Rectangle {
  const candidates = hull.map((from, at) => {
    const to = hull[(at + 1) % hull.length] ?? from;
    return rectangleAlong(hull, firstQuarter([to[0] - from[0], to[1] - from[1]]), margin);
  });
  const best = candidates.reduce((best, each) => {
    const more = areaOf(each) - areaOf(best);
    return more < 0 || (more === 0 && slopeOf(each) > slopeOf(best)) ? each : best;
  });
  return toRectangle(best);
}

/** Rotates a direction by quarter turns until x > 0 and y >= 0. */
function firstQuarter([x, y]: Corner): Corner {
  if (x === 0 && y === 0) return [1, 0];
  return x > 0 && y >= 0 ? [x, y] : firstQuarter([-y, x]);
}

function rectangleAlong(hull: readonly Corner[], direction: Corner, margin: number): Candidate {
  const [x, y] = direction;
  const squaredLength = x * x + y * y;
  const grown = margin * Math.sqrt(squaredLength);
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [px, py] of hull) {
    const along = px * x + py * y;
    const across = py * x - px * y;
    left = Math.min(left, along);
    right = Math.max(right, along);
    top = Math.min(top, across);
    bottom = Math.max(bottom, across);
  }
  return { direction, squaredLength, ends: [left - grown, top - grown, right + grown, bottom + grown] };
}

function areaOf({ squaredLength, ends: [left, top, right, bottom] }: Candidate): number {
  return ((right - left) * (bottom - top)) / squaredLength;
}

function slopeOf({ direction: [x, y] }: Candidate): number {
  return y / x;
}

function toRectangle({
  direction: [x, y],
  squaredLength,
  ends: [left, top, right, bottom],
}: Candidate): Rectangle {
  const corner = (along: number, across: number): Corner => [
    (along * x - across * y) / squaredLength,
    (along * y + across * x) / squaredLength,
  ];
  return {
    corners: [corner(left, top), corner(right, top), corner(right, bottom), corner(left, bottom)],
    shortSide: Math.min(right - left, bottom - top) / Math.sqrt(squaredLength),
  };
}
