// What a graph in reduced precision may differ by: no more than where it was proven, see conformance/reduced.

import type { TensorData } from "./api.js";
import type { Manifest, PoseTask } from "./manifest.js";
import { decodeClasses } from "./tasks/classify.js";
import { at, DETECTION_COLUMNS } from "./tasks/rows.js";

type Task = Manifest["task"];

export const SCORE = 0.01;
/** Of the model's input. */
const PIXELS = 0.5;
/** Of an output's largest magnitude. */
const RELATIVE = 0.01;
/** Depths below this part of the largest count as large as that. */
const DEPTH_FLOOR = 0.01;
/** A pixel's depth may be off by this many times the average. */
const DEPTH_WORST = 10;

/** Whether two rows are of the same thing: where it lies by pixels, what else they hold by its largest magnitude. */
export function alikeReduced(task: Task, row: Float32Array, other: Float32Array): boolean {
  if (at(row, 5) !== at(other, 5) || !(apart(row, other, 4) <= SCORE)) return false;
  if ([0, 1, 2, 3].some((column) => !(apart(row, other, column) <= PIXELS))) return false;
  if (task.kind === "obb") {
    const turned = Math.abs(at(row, DETECTION_COLUMNS) - at(other, DETECTION_COLUMNS)) % Math.PI;
    const reach = Math.max(at(row, 2), at(row, 3)) / 2;
    return Math.min(turned, Math.PI - turned) * reach <= PIXELS;
  }
  if (task.kind === "pose") return alikePoints(task, row, other);
  const rest = row.subarray(DETECTION_COLUMNS);
  const allowed = RELATIVE * largestOf(rest);
  return rest.every((_, index) => apart(row, other, DETECTION_COLUMNS + index) <= allowed);
}

function alikePoints({ keypoints, keypointSize }: PoseTask, row: Float32Array, other: Float32Array): boolean {
  return keypoints.every((_, index) => {
    const start = DETECTION_COLUMNS + index * keypointSize;
    const off = Math.hypot(apart(row, other, start), apart(row, other, start + 1));
    return off <= PIXELS && (keypointSize === 2 || apart(row, other, start + 2) <= SCORE);
  });
}

/** Returns in words how an output that is no rows of things differs, null where it does not. */
export function distanceReduced(task: Task, name: string, want: TensorData, got: TensorData): string | null {
  if (want.type !== "float32" || got.type !== "float32") {
    let differing = 0;
    for (const [index, value] of want.data.entries()) differing += Number(value !== got.data[index]);
    return differing > 0 ? `${differing} of ${want.data.length} elements differ` : null;
  }
  if (task.kind === "classify" && task.output === name) return ofClasses(task, want.data, got.data);
  if (task.kind === "depth" && task.output === name) return ofDepth(want.data, got.data);
  const allowed = RELATIVE * largestOf(want.data);
  const worst = largestOf(want.data, (_, index) => apart(want.data, got.data, index));
  return worst <= allowed ? null : tooFar(worst, allowed);
}

function ofClasses(
  task: Extract<Task, { kind: "classify" }>,
  want: Float32Array,
  got: Float32Array,
): string | null {
  const scores = new Map(decodeClasses(task, got).map(({ classIndex, score }) => [classIndex, score]));
  const wanted = decodeClasses(task, want);
  const worst = Math.max(
    ...wanted.map(({ classIndex, score }) => Math.abs(score - (scores.get(classIndex) ?? Number.NaN))),
  );
  const allowed = SCORE * Math.abs(wanted[0]?.score ?? 0);
  return worst <= allowed ? null : tooFar(worst, allowed);
}

function ofDepth(want: Float32Array, got: Float32Array): string | null {
  const floor = DEPTH_FLOOR * largestOf(want);
  const error = (index: number): number =>
    apart(want, got, index) / Math.max(Math.abs(at(want, index)), floor, Number.MIN_VALUE);
  const mean = want.reduce((sum, _, index) => sum + error(index), 0) / want.length;
  const worst = largestOf(want, (_, index) => error(index));
  if (mean <= SCORE && worst <= DEPTH_WORST * SCORE) return null;
  return `differs by ${percent(mean)} of the depth, by ${percent(worst)} at worst`;
}

/** NaN where either is not finite and the other another. */
function apart(want: ArrayLike<number>, got: ArrayLike<number>, index: number): number {
  return want[index] === got[index] ? 0 : Math.abs(at(want, index) - at(got, index));
}

/** NaN where any is. What is infinite on both sides is no distance, and no size. */
function largestOf(
  values: Float32Array,
  of: (value: number, index: number) => number = (value) => (Number.isFinite(value) ? Math.abs(value) : 0),
): number {
  let largest = 0;
  for (const [index, value] of values.entries()) {
    const each = of(value, index);
    if (!(each <= largest)) largest = each;
    if (Number.isNaN(largest)) break;
  }
  return largest;
}

function tooFar(worst: number, allowed: number): string {
  return `differs by ${worst.toPrecision(2)}, ${allowed.toPrecision(2)} are allowed in reduced precision`;
}

function percent(part: number): string {
  return `${(part * 100).toPrecision(2)} %`;
}
