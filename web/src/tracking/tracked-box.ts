// A box of the tracker, upright or rotated, and the overlap of two.

import type { Detection, OrientedObject } from "../api/types.js";
import { distanceOf, gaussianOf } from "../suppression/rotated-overlap.js";
import type { Measured } from "./kalman.js";

/** Its centre, the lengths of its sides, and its angle: null for an upright box. */
export interface TrackedBox {
  x: number;
  y: number;
  width: number;
  height: number;
  angle: number | null;
}

/** Returns the rotated box of a detection if it has one, else its `box`; null for a box without an area. */
export function boxOf(detection: Detection | OrientedObject): TrackedBox | null {
  const box = "angle" in detection ? rotatedBox(detection) : uprightBox(detection);
  const sizes = [box.x, box.y, box.width, box.height, box.angle ?? 0];
  return sizes.every(Number.isFinite) && box.width > 0 && box.height > 0 ? box : null;
}

function uprightBox({ box: { x1, y1, x2, y2 } }: Detection): TrackedBox {
  return { x: (x1 + x2) / 2, y: (y1 + y2) / 2, width: x2 - x1, height: y2 - y1, angle: null };
}

function rotatedBox({ center, width, height, angle }: OrientedObject): TrackedBox {
  return { x: center.x, y: center.y, width, height, angle };
}

export function measuredOf({ x, y, width, height }: TrackedBox): Measured {
  return [x, y, width / height, height];
}

/** Returns half the sides of the upright box around it. */
export function halfSides({ width, height, angle }: TrackedBox): { across: number; down: number } {
  if (angle === null) return { across: width / 2, down: height / 2 };
  const [cosine, sine] = [Math.abs(Math.cos(angle)), Math.abs(Math.sin(angle))];
  return { across: (width * cosine + height * sine) / 2, down: (width * sine + height * cosine) / 2 };
}

/** Returns the IoU of upright boxes; for rotated ones ProbIoU, as NMS uses it. */
export function overlapOf(first: TrackedBox, second: TrackedBox): number {
  if (first.angle === null || second.angle === null) return uprightOverlap(first, second);
  const [one, other] = [first, second].map(({ x, y, width, height, angle }) =>
    gaussianOf(Float32Array.of(x, y, width, height, angle ?? 0), 0),
  );
  if (one === undefined || other === undefined) return 0;
  const overlap = 1 - Math.sqrt(1 - Math.exp(-distanceOf(one, other)) + 1e-7);
  return Math.max(overlap, 0);
}

function uprightOverlap(first: TrackedBox, second: TrackedBox): number {
  const across = shared(first.x, first.width, second.x, second.width);
  const down = shared(first.y, first.height, second.y, second.height);
  const both = across * down;
  return both / (first.width * first.height + second.width * second.height - both);
}

function shared(first: number, size: number, second: number, otherSize: number): number {
  const end = Math.min(first + size / 2, second + otherSize / 2);
  return Math.max(0, end - Math.max(first - size / 2, second - otherSize / 2));
}
