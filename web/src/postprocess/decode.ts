// Decodes the outputs of a run into the result of its task, on the CPU.

import type { Result, Tensors, Warning } from "../api/types.js";
import type { Manifest } from "../manifest/manifest.js";
import type { Geometry } from "../preprocess/letterbox.js";
import type { Picture } from "../preprocess/pixels.js";
import { type AnyManifest, taskContext, taskOf } from "../tasks/registry.js";
import type { FieldsOf } from "../tasks/task-module.js";
import { degenerateWarnings } from "./degenerate-outputs.js";

/** The fields of a result that a task decodes: all but those that the run adds. */
export type TaskResult = FieldsOf<Result>;

/** Returns the outputs that the task needs: only these are read back from the GPU. */
export function neededOutputs(manifest: AnyManifest, context = taskContext(manifest)): string[] {
  return taskOf(manifest).neededOutputs(manifest, context);
}

/**
 * Returns the result; a promise only for a task that makes a picture, such as the colours of a depth map.
 * `source` is the picture of the run; default: a black one.
 */
export function decode(
  manifest: AnyManifest,
  outputs: Tensors,
  geometry: Geometry,
  context = taskContext(manifest),
  source: Picture = new ImageData(geometry.source.width, geometry.source.height),
): TaskResult | Promise<TaskResult> {
  return taskOf(manifest).decode(manifest, outputs, geometry, context, source) as
    | TaskResult
    | Promise<TaskResult>;
}

/** Returns the warnings of a result: degenerate outputs, and the task's own. */
export function resultWarnings({ task }: Manifest, decoded: TaskResult, outputs: Tensors): Warning[] {
  return [...degenerateWarnings(task, outputs), ...(taskOf({ task }).warnings?.(decoded) ?? [])];
}
