// Exact suppression (NMS) on the CPU. The compute shaders keep exactly the same boxes.

import type { MultiLabel } from "../manifest/manifest.js";
import { distanceAt, distanceOf, type Gaussian, gaussianOf } from "./rotated-overlap.js";

/** A graph's outputs for all its anchors, in float32. Boxes of different classes are moved apart. */
export interface Anchors {
  /** [A, 4]: x1 y1 x2 y2, corners in any order; rotated [A, 5]: centre x y, width, height, radians. */
  boxes: Float32Array;
  /** [A]; with several labels [labels, A]. */
  scores: Float32Array;
  /** [A, columns]: the row of each anchor in the output. */
  rows: Float32Array;
}

export interface SuppressionLimits {
  columns: number;
  /** The number of output rows; rows after the last kept one are zeros. */
  rowsOut: number;
  maxDetections: number;
  confidence: number;
  iou: number;
  /** At most this many of the best anchors above the threshold are candidates. */
  maxCandidates: number;
  rotated: boolean;
  /** Set if each label has its own scores for all boxes: each label is suppressed separately. */
  multiLabel?: MultiLabel | undefined;
}

/** The rows of the kept boxes, zeros after the last, and their count. */
export interface Kept {
  rows: Float32Array<ArrayBuffer>;
  count: number;
}

/** Returns the kept boxes, best first; of equal scores the first label, then the first box is better. */
export function suppress(anchors: Anchors, limits: SuppressionLimits): Kept {
  const { columns, multiLabel: labels } = limits;
  const { count = 1, maxDetections: most = limits.maxDetections } = labels ?? {};
  const length = anchors.scores.length / count;
  const kept = Array.from({ length: count }, (_, label) => {
    const scores = anchors.scores.subarray(label * length, (label + 1) * length);
    return keepOfLabel(anchors.boxes, scores, limits, most).map((anchor) => {
      return { label, anchor, score: scores[anchor] ?? 0 };
    });
  }).flat();
  // Array.prototype.sort is stable: equal scores stay in the order of their labels.
  if (labels?.order === "score") kept.sort((first, second) => Math.sign(second.score - first.score) || 0);
  const chosen = kept.slice(0, limits.maxDetections);
  const rows = new Float32Array(limits.rowsOut * columns);
  for (const [row, { label, anchor, score }] of chosen.entries()) {
    rows.set(anchors.rows.subarray(anchor * columns, (anchor + 1) * columns), row * columns);
    if (labels?.scoreColumn !== undefined) rows[row * columns + labels.scoreColumn] = score;
    if (labels?.labelColumn !== undefined) rows[row * columns + labels.labelColumn] = label;
  }
  return { rows, count: chosen.length };
}

/** Returns the kept anchors of one label, `most` at most. */
function keepOfLabel(
  boxes: Float32Array,
  scores: Float32Array,
  limits: SuppressionLimits,
  most: number,
): number[] {
  const confidence = Math.fround(limits.confidence);
  const score = (anchor: number): number => scores[anchor] ?? Number.NaN;
  const order = Array.from(scores.keys()).filter((anchor) => score(anchor) > confidence);
  // Equal scores stay in the order of their anchors.
  order.sort((first, second) => Math.sign(score(second) - score(first)) || 0);
  const keep = limits.rotated ? keepRotated : keepBoxes;
  return keep(boxes, order.slice(0, limits.maxCandidates), Math.fround(limits.iou), most);
}

/** Returns the candidates that overlap no kept one before them by more than `iou`. */
function keepBoxes(boxes: Float32Array, candidates: number[], iou: number, most: number): number[] {
  const kept: { box: Box; anchor: number }[] = [];
  for (const anchor of candidates) {
    if (kept.length === most) break;
    const box = boxOf(boxes, anchor);
    if (!kept.some((other) => overlap(other.box, box, iou))) kept.push({ box, anchor });
  }
  return kept.map(({ anchor }) => anchor);
}

/** Returns the candidates that overlap none before them, kept or suppressed, by more than `iou`. */
function keepRotated(boxes: Float32Array, candidates: number[], iou: number, most: number): number[] {
  const near = Math.fround(distanceAt(iou));
  const before: Gaussian[] = [];
  const kept: number[] = [];
  for (const anchor of candidates) {
    if (kept.length === most) break;
    const own = gaussianOf(boxes, anchor);
    if (!before.some((other) => distanceOf(other, own) < near)) kept.push(anchor);
    before.push(own);
  }
  return kept;
}

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
  area: number;
}

function boxOf(boxes: Float32Array, anchor: number): Box {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = boxes.subarray(anchor * 4, anchor * 4 + 4);
  const [left, right, top, bottom] = [Math.min(x1, x2), Math.max(x1, x2), Math.min(y1, y2), Math.max(y1, y2)];
  const area = Math.fround(Math.fround(right - left) * Math.fround(bottom - top));
  return { left, top, right, bottom, area };
}

/**
 * Whether the intersection over union, with every step rounded to float32, is above `iou`. False for boxes
 * without a common area, whatever the threshold, and for boxes whose area is 0 or not finite.
 */
function overlap(first: Box, second: Box, iou: number): boolean {
  const width = Math.fround(Math.min(first.right, second.right) - Math.max(first.left, second.left));
  const height = Math.fround(Math.min(first.bottom, second.bottom) - Math.max(first.top, second.top));
  const shared = width > 0 && height > 0 ? Math.fround(width * height) : 0;
  const union = Math.fround(Math.fround(first.area + second.area) - shared);
  return shared > 0 && union > 0 && Number.isFinite(union) && Math.fround(shared / union) > iou;
}
