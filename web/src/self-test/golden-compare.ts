// Compares outputs with the golden run: up to rounding, and to the order of detections.

import type { Precision, TensorData, Tensors } from "../api/types.js";
import { at, rowsWithoutPadding } from "../tasks/detection-rows.js";
import { taskOf } from "../tasks/registry.js";
import type { TaskSpec } from "../tasks/task-module.js";
import { closeInReducedPrecision, differenceInReducedPrecision } from "./reduced-precision.js";
import { percent, REDUCED_PRECISION } from "./tolerance.js";

/**
 * Relative. Far above any GPU's rounding (1e-4 and less in float32), far below a wrong kernel's error. A model that
 * quantizes values in its graph brings its own, see `webbuild/bundle/golden_tolerance.py`.
 */
const TOLERANCE = 0.02;
/** The share of detections that may differ: near a threshold rounding decides. */
const UNMATCHED = 0.1;

/** Whether the expected outputs have a signal to compare: a number that is not zero, or a detection. */
export function hasSignal(task: TaskSpec, expected: Tensors): boolean {
  const tensors = Object.entries(expected);
  return tensors.some(([name, want]) =>
    hasRows(task, name, want)
      ? rowsWithoutPadding(want.data, columns(want)).length > 0
      : want.data.some((value) => Number(value) !== 0),
  );
}

/**
 * Returns in words how the outputs differ from the expected ones, null if they agree. The tolerance in
 * float32 is far above rounding. In reduced precision it is the one that the graph was proven with: a
 * detection with a score within its tolerance of `confidence`, the threshold of the run, may be there or not.
 */
export function goldenDifference(
  task: TaskSpec,
  expected: Tensors,
  got: Tensors,
  precision: Precision = "fp32",
  confidence = Number.NEGATIVE_INFINITY,
  tolerance = TOLERANCE,
): string | null {
  const whole = precision === "fp32";
  const border = whole ? Number.NEGATIVE_INFINITY : confidence + REDUCED_PRECISION.score;
  for (const [name, want] of Object.entries(expected)) {
    const other = got[name];
    if (other === undefined) return `${name} is missing`;
    if (other.type !== want.type || other.dims.join() !== want.dims.join())
      return `${name} is ${other.type} [${other.dims.join(", ")}]`;
    const reason = hasRows(task, name, want)
      ? unmatchedRows(
          rowsWithoutPadding(want.data, columns(want)),
          rowsWithoutPadding(other.data as Float32Array, columns(want)),
          whole ? rowsMatch : (row, found) => closeInReducedPrecision(task, row, found),
          border,
        )
      : whole
        ? distance(want, other, tolerance)
        : differenceInReducedPrecision(task, name, want, other);
    if (reason !== null) return `${name}: ${reason}`;
  }
  return null;
}

function hasRows(
  task: TaskSpec,
  name: string,
  tensor: TensorData,
): tensor is TensorData & { type: "float32" } {
  return tensor.type === "float32" && taskOf({ task }).rows?.output(task) === name;
}

function columns({ dims }: TensorData): number {
  return dims.at(-1) ?? 1;
}

/** Compares floats by the relative root mean square of the differences, integers by how many differ. */
function distance(
  { type, data: want }: TensorData,
  { data: got }: TensorData,
  tolerance: number,
): string | null {
  if (type !== "float32") {
    let differing = 0;
    for (const [index, value] of want.entries()) differing += value === got[index] ? 0 : 1;
    return differing > tolerance * want.length ? `${differing} of ${want.length} elements differ` : null;
  }
  let squares = 0;
  let apart = 0;
  for (const [index, expected] of want.entries()) {
    if (Number.isFinite(expected)) squares += expected * expected;
    if (expected !== at(got as Float32Array, index))
      apart += (expected - at(got as Float32Array, index)) ** 2;
  }
  const relative = Math.sqrt(apart / squares);
  if (apart === 0 || relative <= tolerance) return null;
  return `differs by ${percent(relative)} of its magnitude, ${percent(tolerance)} are allowed`;
}

/**
 * Matches each row with any of the others, since rows with similar scores may come in any order. Rows that
 * score less than `border` may be missing, but not all of them.
 */
function unmatchedRows(
  expected: readonly Float32Array[],
  got: readonly Float32Array[],
  same: (row: Float32Array, other: Float32Array, largest: number) => boolean,
  border: number,
): string | null {
  const largest = Math.max(0, ...expected.flatMap((row) => Array.from(row, Math.abs)));
  const without = expected.filter((row) => !got.some((other) => same(row, other, largest)));
  const missing = without.filter((row) => !(at(row, 4) < border)).length;
  const extra = got.filter(
    (row) => !(at(row, 4) < border) && !expected.some((other) => same(other, row, largest)),
  ).length;
  const allowed = Math.floor(UNMATCHED * expected.length);
  const nothing = expected.length > 0 && without.length === expected.length;
  if (missing <= allowed && extra <= allowed && !nothing) return null;
  return `of ${expected.length} detections ${without.length} are missing, ${extra} of ${got.length} are unexpected`;
}

function rowsMatch(row: Float32Array, other: Float32Array, largest: number): boolean {
  if (at(row, 5) !== at(other, 5) || !(Math.abs(at(row, 4) - at(other, 4)) <= TOLERANCE)) return false;
  return row.every((value, index) => Math.abs(value - at(other, index)) <= TOLERANCE * largest);
}
