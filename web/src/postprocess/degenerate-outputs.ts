// Warnings about degenerate outputs: the same value everywhere, or NaN.

import type { Tensors, Warning } from "../api/types.js";
import { rowsWithoutPadding } from "../tasks/detection-rows.js";
import { taskOf } from "../tasks/registry.js";
import type { TaskSpec } from "../tasks/task-module.js";

/** Larger outputs are not checked for being constant: that takes too long in every run. */
const MAX_CHECKED_ELEMENTS = 1 << 18;

/**
 * Checks every output that was read back. Of outputs of detections only the rows are checked: no row is a
 * valid result.
 */
export function degenerateWarnings(task: TaskSpec, outputs: Tensors): Warning[] {
  const { rows, flatOutputsAllowed = false } = taskOf({ task });
  return Object.entries(outputs).flatMap(([name, { type, dims, data }]) => {
    if (type !== "float32") return [];
    if (data.some(Number.isNaN)) return [warning("nan-output", `${name} holds NaN`)];
    if (rows?.output(task) === name)
      return rowWarnings(name, rowsWithoutPadding(data, dims.at(-1) ?? 0), rows.isEmptyBox);
    return !flatOutputsAllowed && isFlat(data)
      ? [warning("flat-output", `${name} holds ${data[0]} everywhere`)]
      : [];
  });
}

/** Statistics of an output that stayed on the GPU. */
export interface ReadStats {
  hasNan: boolean;
  isFlat: boolean;
}

/** Returns the warnings about an output that stayed on the GPU. */
export function mapWarnings(name: string, { hasNan, isFlat }: ReadStats): Warning[] {
  if (hasNan) return [warning("nan-output", `${name} holds NaN`)];
  return isFlat ? [warning("flat-output", `${name} holds one number everywhere`)] : [];
}

/** Boxes without an area come from a model whose image-size input is read as the wrong element type. */
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
  return data.length > 1 && data.length <= MAX_CHECKED_ELEMENTS && data.every((value) => value === data[0]);
}

function warning(code: string, what: string): Warning {
  return {
    code,
    message: `${what}: do not trust this result`,
    fix: 'compare with { backend: "wasm" }, and run `webbuild verify` on the bundle',
  };
}
