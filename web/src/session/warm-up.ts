// The warm-up run of a new session, on zeros.

import type { Backend, Tensors } from "../api/types.js";
import { completeFeeds } from "../inputs/validate-inputs.js";
import type { Manifest } from "../manifest/manifest.js";
import type { StatefulRunner } from "../self-test/golden-sequence.js";
import { withoutStates } from "../self-test/self-test.js";
import { taskContext, taskOf } from "../tasks/registry.js";
import { zeroTensor } from "../tensors/raw-tensor.js";

type Kind = Manifest["inputs"][number]["kind"];

/** Inputs of a later stage that come from a scene: there is no scene yet. */
const SCENE_INPUTS: readonly Kind[] = ["stage", "crop", "point-prompt"];
/** Inputs that are fed zeros. */
const ZERO_INPUTS: readonly Kind[] = ["image", "stack", "mask", "reference", ...SCENE_INPUTS];

/**
 * Compiles the shaders. A kernel that throws does so here, while the fallback chain can still choose another
 * candidate.
 */
export async function warmUp(
  manifest: Manifest,
  backend: Backend,
  runner: StatefulRunner,
  tools: unknown,
): Promise<void> {
  const feeds = backend === "wasm" ? null : zeroFeeds(manifest, tools);
  if (feeds !== null) await withoutStates(runner, feeds);
}

/**
 * Returns feeds of zeros; null for a model with plain tensor inputs, since the manifest has no valid values
 * for them.
 */
export function zeroFeeds(manifest: Manifest, tools: unknown): Tensors | null {
  const { inputs } = manifest;
  if (inputs.some((input) => input.kind === "tensor")) return null;
  const zeros: Tensors = Object.fromEntries(
    inputs.filter(({ kind }) => ZERO_INPUTS.includes(kind)).map((input) => [input.name, zeroTensor(input)]),
  );
  const fed = inputs.some(({ kind }) => SCENE_INPUTS.includes(kind)) ? {} : taskFeeds(manifest, tools);
  return completeFeeds(inputs, { ...zeros, ...fed });
}

/** Returns the tensors of the task's warm-up options. */
function taskFeeds(manifest: Manifest, tools: unknown): Tensors {
  const task = taskOf(manifest);
  const context = taskContext(manifest, task.warmUpOptions?.(manifest.task), tools);
  return task.feeds?.(manifest, context) ?? {};
}
