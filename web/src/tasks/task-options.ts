// The options of run() that only some tasks take. They are checked on the page, before anything is sent to the worker.

import { internalError, WebbuildError } from "../api/errors.js";
import type { RunOptions } from "../api/types.js";
import type { SlicedTask } from "../slices/sliced-task.js";
import type { ManifestOf, TaskSpec } from "./task-module.js";

/**
 * The options of a task; `tasks/<kind>/options.ts` exports them as `options`. They are part of the page's
 * code, `task.ts` of the worker's.
 */
export interface TaskOptions<Spec extends TaskSpec = TaskSpec> {
  readonly kind: Spec["kind"];
  /** Options that this task reads itself. Tasks may share them, but no graph has an input of that name. */
  readonly names: readonly (keyof RunOptions)[];
  /** Options that this task reads itself, and that are graph inputs of other models. */
  readonly alsoTakes?: readonly (keyof RunOptions)[];
  /** Options whose value may be a picture. It is packed for the worker like the source picture. */
  readonly pictures?: readonly (keyof RunOptions)[];
  /** For a task that can run on slices: how the slices' objects are merged. */
  readonly sliced?: SlicedTask;
  /** The error message if a model of another task gets one of these options. */
  readonly refusal: string;
  /** Throws "invalid-option" for a value that the model does not take. */
  check(manifest: ManifestOf<Spec>, options: RunOptions): unknown;
  /** Returns the index of the later stage's variant that takes these options. Default: 0. */
  variant?(variants: readonly ManifestOf<Spec>[], options: RunOptions): number;
}

function allOptions(): TaskOptions[] {
  return Object.values(import.meta.glob<TaskOptions>("./*/options.ts", { eager: true, import: "options" }));
}

/** Returns the options of the task that are not inputs of the graph. */
export function taskOptionNames({ task }: { task: TaskSpec }): readonly string[] {
  const own = allOptions().find(({ kind }) => kind === task.kind);
  return own === undefined ? [] : [...(own.alsoTakes ?? []), ...own.names];
}

/** The options that may be pictures. */
export function pictureOptionNames({ task }: { task: TaskSpec }): readonly (keyof RunOptions)[] {
  return allOptions().find(({ kind }) => kind === task.kind)?.pictures ?? [];
}

/** Returns how the objects of slices are merged. */
export function slicedTask({ task }: { task: TaskSpec }): SlicedTask {
  const sliced = allOptions().find(({ kind }) => kind === task.kind)?.sliced;
  if (sliced === undefined) throw internalError(`slices of a task that has none, ${task.kind}`);
  return sliced;
}

/** Returns the variant of a stage that takes these options. */
export function optionVariant<M extends ManifestOf<TaskSpec>>(
  variants: readonly M[],
  options: RunOptions,
): M {
  const [first] = variants;
  const own = allOptions().find(({ kind }) => kind === first?.task.kind);
  const found = variants[own?.variant?.(variants, options) ?? 0];
  if (found === undefined) throw internalError("a stage without a graph for these options");
  return found;
}

/** Throws "invalid-option" for an option of another task, and for a value that the model does not take. */
export function checkTaskOptions(manifest: ManifestOf<TaskSpec>, options: RunOptions): void {
  const all = allOptions();
  const own = all.find(({ kind }) => kind === manifest.task.kind);
  own?.check(manifest, options);
  for (const each of all) {
    const name = each.names.find((name) => options[name] !== undefined && !own?.names.includes(name));
    if (name !== undefined)
      throw new WebbuildError("invalid-option", `${name}: ${each.refusal}`, `leave ${name} out`);
  }
}
