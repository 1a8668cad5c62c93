// The warm-up run, after a session is made.

import type { Backend, Tensors } from "../api/types.js";
import { completeFeeds } from "../inputs/validate-inputs.js";
import type { Manifest } from "../manifest/manifest.js";
import type { StatefulRunner } from "../self-test/golden-sequence.js";
import { withoutStates } from "../self-test/self-test.js";
import { taskContext, taskOf } from "../tasks/registry.js";
import { zeroTensor } from "../tensors/raw-tensor.js";

type Kind = Manifest["inputs"][number]["kind"];

/** Inputs of a later stage, for which there is no scene yet. */
const LATER: readonly Kind[] = ["stage", "crop", "point-prompt"];
/** Inputs that are zeros. */
const ZEROS: readonly Kind[] = ["image", "stack", "mask", "reference", ...LATER];

/** Compiles the shaders, and finds out here, where another backend can still be chosen, that a kernel throws. */
export async function warmUp(
  manifest: Manifest,
  backend: Backend,
  runner: StatefulRunner,
  tools: unknown,
): Promise<void> {
  const feeds = backend === "wasm" ? null : zeroFeeds(manifest, tools);
  if (feeds !== null) await withoutStates(runner, feeds);
}

/** Returns zeros for what pictures and prompts become, null where nobody knows what the inputs mean. */
export function zeroFeeds(manifest: Manifest, tools: unknown): Tensors | null {
  const { inputs } = manifest;
  if (inputs.some((input) => input.kind === "tensor")) return null;
  const zeros: Tensors = Object.fromEntries(
    inputs.filter(({ kind }) => ZEROS.includes(kind)).map((input) => [input.name, zeroTensor(input)]),
  );
  const fed = inputs.some(({ kind }) => LATER.includes(kind)) ? {} : taskFeeds(manifest, tools);
  return completeFeeds(inputs, { ...zeros, ...fed });
}

/** The tensors that a task feeds in a run that nobody asked for. */
function taskFeeds(manifest: Manifest, tools: unknown): Tensors {
  const task = taskOf(manifest);
  const context = taskContext(manifest, task.warmUpOptions?.(manifest.task), tools);
  return task.feeds?.(manifest, context) ?? {};
}
