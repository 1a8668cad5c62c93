// Whether two boxes are of one object.

import type { Box } from "../api/types.js";

export interface MatchRules {
  /** Intersection over the smaller box, or over the union. */
  metric: "ios" | "iou";
  /** From how much on two boxes match: above 0, up to 1. */
  threshold: number;
}

/** Boxes that share nothing do not match, and neither do those without an area. */
export function matches(first: Box, second: Box, { metric, threshold }: MatchRules): boolean {
  const width = Math.min(first.x2, second.x2) - Math.max(first.x1, second.x1);
  const height = Math.min(first.y2, second.y2) - Math.max(first.y1, second.y1);
  if (!(width > 0 && height > 0)) return false;
  const shared = width * height;
  const [one, other] = [areaOf(first), areaOf(second)];
  return shared / (metric === "ios" ? Math.min(one, other) : one + other - shared) >= threshold;
}

/** The same in float32, every step rounded; so are the boxes and the threshold that it is given. */
export function matchesRounded(first: Box, second: Box, { metric, threshold }: MatchRules): boolean {
  const width = round(Math.min(first.x2, second.x2) - Math.max(first.x1, second.x1));
  const height = round(Math.min(first.y2, second.y2) - Math.max(first.y1, second.y1));
  if (!(width > 0 && height > 0)) return false;
  const shared = round(width * height);
  const [one, other] = [roundedArea(first), roundedArea(second)];
  const whole = metric === "ios" ? Math.min(one, other) : round(round(one + other) - shared);
  return round(shared / whole) >= threshold;
}

const round = Math.fround;

function areaOf({ x1, y1, x2, y2 }: Box): number {
  return (x2 - x1) * (y2 - y1);
}

function roundedArea({ x1, y1, x2, y2 }: Box): number {
  return round(round(x2 - x1) * round(y2 - y1));
}
