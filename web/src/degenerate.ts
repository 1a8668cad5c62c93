// Answers that no model means to give: the same everywhere, or not a number at all.

import type { Tensors, Warning } from "./api.js";
import type { Manifest } from "./manifest.js";
import { at, foundRows } from "./tasks/rows.js";

type Task = Manifest["task"];

type RowTask = Extract<Task, { rows: number }>;

/** Elements up to which an output is looked through in every run. */
const MOST = 1 << 18;

/** Of every output that came back. Rows of detections are judged by what was found: none is an answer. */
export function degenerateWarnings(task: Task, outputs: Tensors): Warning[] {
  return Object.entries(outputs).flatMap(([name, { type, dims, data }]) => {
    if (type !== "float32") return [];
    if (data.some(Number.isNaN)) return [warning("nan-output", `${name} holds NaN`)];
    if (hasRows(task) && name === task.output) return rowWarnings(task, data, dims.at(-1) ?? 0);
    return task.kind !== "depth" && isFlat(data)
      ? [warning("flat-output", `${name} holds ${data[0]} everywhere`)]
      : [];
  });
}

/** Of maps that nobody but the GPU read. */
export function mapWarnings(
  name: string,
  { hasNan, isFlat }: { hasNan: boolean; isFlat: boolean },
): Warning[] {
  if (hasNan) return [warning("nan-output", `${name} holds NaN`)];
  return isFlat ? [warning("flat-output", `${name} holds one number everywhere`)] : [];
}

function hasRows(task: Task): task is RowTask {
  return "rows" in task;
}

/** Boxes without an area are what comes of a size of the picture that was read as another type. */
function rowWarnings({ kind, output }: RowTask, data: Float32Array, columns: number): Warning[] {
  const rows = foundRows(data, columns);
  const [first, ...rest] = rows;
  if (first === undefined) return [];
  const isEmpty = kind === "obb" ? hasNoSides : hasNoArea;
  if (rows.every(isEmpty)) return [warning("flat-output", `${output}: no box that was found has an area`)];
  if (rest.length > 0 && rest.every((row) => row.every((value, index) => value === first[index])))
    return [warning("flat-output", `${output}: all ${rows.length} detections are the same`)];
  return [];
}

function hasNoArea(row: Float32Array): boolean {
  return at(row, 0) >= at(row, 2) || at(row, 1) >= at(row, 3);
}

function hasNoSides(row: Float32Array): boolean {
  return at(row, 2) <= 0 || at(row, 3) <= 0;
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
