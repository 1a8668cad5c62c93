// Finds the task of a kind. Every folder with a task.ts is a task: there is no other list.

import { WebbuildError } from "../api/errors.js";
import type { Manifest } from "../manifest/manifest.js";
import type { SceneView } from "../stages/scene-view.js";
import type { ManifestOf, TaskFields, TaskModule, TaskRunOptions, TaskSpec } from "./task-module.js";

/** A task of any kind. Call it only with manifests of its own kind: `taskOf` returns the right one. */
type AnyTask = TaskModule<TaskSpec, TaskFields, unknown, unknown>;

export type AnyManifest = Manifest | ManifestOf<TaskSpec>;

/** A function, not a constant: a task that imports the registry would be an import cycle. */
function tasks(): AnyTask[] {
  return Object.values(import.meta.glob<AnyTask>("./*/task.ts", { eager: true, import: "task" }));
}

/** Returns the task of a manifest. Throws "invalid-manifest" for a kind that this runtime does not have. */
export function taskOf({ task: { kind } }: { task: TaskSpec }): AnyTask {
  const found = tasks().find((task) => task.kind === kind);
  if (found !== undefined) return found;
  const fix = "pack the model again: its manifest and its runtime are of different versions";
  throw new WebbuildError("invalid-manifest", `the manifest has an unknown task, ${kind}`, fix);
}

/** Returns the task's context of a run with these options: see `TaskModule.context`. Null for a task without one. */
export function taskContext(
  manifest: AnyManifest,
  options: TaskRunOptions = {},
  tools: unknown = null,
  scene: SceneView | null = null,
): unknown {
  return taskOf(manifest).context?.(manifest, options, tools, scene) ?? null;
}
