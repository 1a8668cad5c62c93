// Whether two detections are the same object.

import type { Box } from "../api/types.js";
import { sharedArea } from "./shared-area.js";
import type { Outline } from "./sliced-task.js";

export interface MatchRules {
  /** Intersection over the smaller box, or over the union. */
  metric: "ios" | "iou";
  /** The overlap from which on two objects match: above 0, up to 1. */
  threshold: number;
}

/** Boxes without a common area do not match, and neither do empty boxes. */
export function matches(first: Box, second: Box, { metric, threshold }: MatchRules): boolean {
  const width = Math.min(first.x2, second.x2) - Math.max(first.x1, second.x1);
  const height = Math.min(first.y2, second.y2) - Math.max(first.y1, second.y1);
  if (!(width > 0 && height > 0)) return false;
  const shared = width * height;
  const [one, other] = [boxArea(first), boxArea(second)];
  return shared / (metric === "ios" ? Math.min(one, other) : one + other - shared) >= threshold;
}

/**
 * Like matches(), in float32 with every step rounded; boxes and threshold are rounded already. Two rotated
 * boxes are compared as rotated.
 */
export function matchesRounded(first: Outline, second: Outline, rules: MatchRules): boolean {
  const [{ box: one }, { box: other }] = [first, second];
  const width = round(Math.min(one.x2, other.x2) - Math.max(one.x1, other.x1));
  const height = round(Math.min(one.y2, other.y2) - Math.max(one.y1, other.y1));
  if (!(width > 0 && height > 0)) return false;
  if (first.turned !== undefined && second.turned !== undefined) {
    const [own, its] = [first.turned, second.turned];
    // An upper bound: the common area is at most the smaller box's, and at most that of their upright boxes.
    const most = Math.min(own.area, its.area, width * height) * (1 + 1e-6);
    if (!reaches(most, own.area, its.area, rules)) return false;
    return reaches(sharedArea(own.corners, its.corners), own.area, its.area, rules);
  }
  return reaches(round(width * height), roundedArea(one), roundedArea(other), rules);
}

function reaches(shared: number, one: number, other: number, { metric, threshold }: MatchRules): boolean {
  const whole = metric === "ios" ? Math.min(one, other) : round(round(one + other) - shared);
  return whole > 0 && round(shared / whole) >= threshold;
}

const round = Math.fround;

function boxArea({ x1, y1, x2, y2 }: Box): number {
  return (x2 - x1) * (y2 - y1);
}

function roundedArea({ x1, y1, x2, y2 }: Box): number {
  return round(round(x2 - x1) * round(y2 - y1));
}
