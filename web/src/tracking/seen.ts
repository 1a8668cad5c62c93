// The detections of a frame for the tracker: as objects, and packed into numbers for a worker.

import type { Detection } from "../api/types.js";
import type { Candidate } from "./candidates.js";
import { boxOf } from "./tracked-box.js";

/** A detection that may be matched, and its index in the frame. */
export interface Seen extends Candidate {
  score: number;
  index: number;
}

/** index, classIndex, score, x, y, width, height, angle: NaN for an upright box. */
const NUMBERS = 8;

/** Returns the detections, without boxes that have no area. */
export function seenIn(detections: readonly Detection[]): Seen[] {
  return detections.flatMap((detection, index): Seen[] => {
    const box = boxOf(detection);
    return box === null ? [] : [{ box, index, classIndex: detection.classIndex, score: detection.score }];
  });
}

/** [count] -> [count, 8] */
export function packSeen(seen: readonly Seen[]): Float64Array<ArrayBuffer> {
  const packed = new Float64Array(seen.length * NUMBERS);
  let at = 0;
  for (const { index, classIndex, score, box } of seen) {
    packed[at++] = index;
    packed[at++] = classIndex;
    packed[at++] = score;
    packed[at++] = box.x;
    packed[at++] = box.y;
    packed[at++] = box.width;
    packed[at++] = box.height;
    packed[at++] = box.angle ?? Number.NaN;
  }
  return packed;
}

/** [count, 8] -> [count] */
export function unpackSeen(packed: Float64Array): Seen[] {
  let at = 0;
  const next = (): number => packed[at++] ?? Number.NaN;
  const nextAngle = (angle = next()): number | null => (Number.isNaN(angle) ? null : angle);
  return Array.from({ length: packed.length / NUMBERS }, () => ({
    index: next(),
    classIndex: next(),
    score: next(),
    box: { x: next(), y: next(), width: next(), height: next(), angle: nextAngle() },
  }));
}
