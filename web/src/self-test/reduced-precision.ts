// Compares outputs of a graph in reduced precision with the float32 graph's, by the rules of the task.

import type { TensorData } from "../api/types.js";
import { at, DETECTION_COLUMNS } from "../tasks/detection-rows.js";
import { taskOf } from "../tasks/registry.js";
import type { TaskSpec } from "../tasks/task-module.js";
import { absoluteDifference, largestDifference, largestOf, REDUCED_PRECISION } from "./tolerance.js";

/** Whether two rows are the same detection: positions in pixels, other columns by the rules of the task. */
export function closeInReducedPrecision(task: TaskSpec, row: Float32Array, other: Float32Array): boolean {
  const { score, pixels } = REDUCED_PRECISION;
  if (at(row, 5) !== at(other, 5) || !(absoluteDifference(row, other, 4) <= score)) return false;
  if ([0, 1, 2, 3].some((column) => !(absoluteDifference(row, other, column) <= pixels))) return false;
  const own = taskOf({ task }).rows?.ownColumnsMatch;
  return own?.(task, row, other, REDUCED_PRECISION) ?? restMatches(row, other);
}

function restMatches(row: Float32Array, other: Float32Array): boolean {
  const rest = row.subarray(DETECTION_COLUMNS);
  const allowed = REDUCED_PRECISION.relative * largestOf(rest);
  return rest.every((_, index) => absoluteDifference(row, other, DETECTION_COLUMNS + index) <= allowed);
}

/** Returns in words how an output that has no rows of detections differs, null if it does not. */
export function differenceInReducedPrecision(
  task: TaskSpec,
  name: string,
  want: TensorData,
  got: TensorData,
): string | null {
  if (want.type !== "float32" || got.type !== "float32") {
    let differing = 0;
    for (const [index, value] of want.data.entries()) differing += Number(value !== got.data[index]);
    return differing > 0 ? `${differing} of ${want.data.length} elements differ` : null;
  }
  const { difference } = taskOf({ task });
  return difference === undefined
    ? largestDifference(want.data, got.data, REDUCED_PRECISION)
    : difference(task, name, want.data, got.data, REDUCED_PRECISION);
}
