// Warnings of degenerate outputs: the same everywhere, or NaN.

import type { Tensors, Warning } from "../api/types.js";
import { detectedRows } from "../tasks/detection-rows.js";
import { taskOf } from "../tasks/registry.js";
import type { TaskSpec } from "../tasks/task-module.js";

/** Elements up to which an output is looked through in every run. */
const MOST = 1 << 18;

/** Of every output that came back. Rows of detections are checked by what was found: none is an answer. */
export function degenerateWarnings(task: TaskSpec, outputs: Tensors): Warning[] {
  const { rows, flatOutputsAllowed = false } = taskOf({ task });
  return Object.entries(outputs).flatMap(([name, { type, dims, data }]) => {
    if (type !== "float32") return [];
    if (data.some(Number.isNaN)) return [warning("nan-output", `${name} holds NaN`)];
    if (rows?.output(task) === name)
      return rowWarnings(name, detectedRows(data, dims.at(-1) ?? 0), rows.isEmptyBox);
    return !flatOutputsAllowed && isFlat(data)
      ? [warning("flat-output", `${name} holds ${data[0]} everywhere`)]
      : [];
  });
}

/** What the model's own maps are like where the GPU read them. */
export interface ReadStats {
  hasNan: boolean;
  isFlat: boolean;
}

/** Warnings of maps that nobody but the GPU read. */
export function mapWarnings(name: string, { hasNan, isFlat }: ReadStats): Warning[] {
  if (hasNan) return [warning("nan-output", `${name} holds NaN`)];
  return isFlat ? [warning("flat-output", `${name} holds one number everywhere`)] : [];
}

/** Boxes without an area are what comes of a size of the picture that was read as another type. */
function rowWarnings(
  output: string,
  rows: readonly Float32Array[],
  isEmptyBox: (row: Float32Array) => boolean,
): Warning[] {
  const [first, ...rest] = rows;
  if (first === undefined) return [];
  if (rows.every(isEmptyBox)) return [warning("flat-output", `${output}: no box that was found has an area`)];
  if (rest.length > 0 && rest.every((row) => row.every((value, index) => value === first[index])))
    return [warning("flat-output", `${output}: all ${rows.length} detections are the same`)];
  return [];
}

function isFlat(data: Float32Array): boolean {
  return data.length > 1 && data.length <= MOST && data.every((value) => value === data[0]);
}

function warning(code: string, what: string): Warning {
  return {
    code,
    message: `${what}: this answer is not to be trusted`,
    fix: 'compare with { backend: "wasm" }, and run `webbuild verify` on the bundle',
  };
}
