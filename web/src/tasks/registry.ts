// From a kind to its task. There is no list: the folders are the list.

import { WebbuildError } from "../api/errors.js";
import type { Manifest } from "../manifest/manifest.js";
import type { SceneView } from "../stages/scene-view.js";
import type { ManifestOf, TaskFields, TaskModule, TaskRunOptions, TaskSpec } from "./task-module.js";

/** A task of some kind, to be given nothing but manifests of that kind: `taskOf` makes sure. */
type AnyTask = TaskModule<TaskSpec, TaskFields, unknown, unknown>;

export type AnyManifest = Manifest | ManifestOf<TaskSpec>;

/** A function, so that a task may import what imports the registry. */
function tasks(): AnyTask[] {
  return Object.values(import.meta.glob<AnyTask>("./*/task.ts", { eager: true, import: "task" }));
}

/** Throws "invalid-manifest" for a kind that the bundle's runtime does not know. */
export function taskOf({ task: { kind } }: { task: TaskSpec }): AnyTask {
  const found = tasks().find((task) => task.kind === kind);
  if (found !== undefined) return found;
  const fix = "pack the model again: its manifest and its runtime are of different versions";
  throw new WebbuildError("invalid-manifest", `the manifest has an unknown task, ${kind}`, fix);
}

/** What a run of these options is asked for. `tools` are what the task has loaded, `scene` what a later stage looks at. */
export function taskContext(
  manifest: AnyManifest,
  options: TaskRunOptions = {},
  tools: unknown = null,
  scene: SceneView | null = null,
): unknown {
  return taskOf(manifest).context?.(manifest, options, tools, scene) ?? null;
}
