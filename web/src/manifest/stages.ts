// The stages of a bundle: a manifest for each, the first one's its own.

import type { Manifest, Stage, StageInput } from "./manifest.js";

/** Returns a manifest for each stage alone, `stageName` its name. A bundle of one model has one stage. */
export function everyStage({ stages = [], ...first }: Manifest): Manifest[] {
  return [first, ...stages.map((stage) => ofStage(first, stage))];
}

/** Returns the task of the last stage, which is that of the whole. */
export function finalTask({ task, stages = [] }: Pick<Manifest, "task" | "stages">): Manifest["task"] {
  return stages.at(-1)?.task ?? task;
}

/** Returns those inputs that take an output of an earlier stage. */
export function stageInputs({ inputs }: Pick<Manifest, "inputs">): StageInput[] {
  return inputs.filter((input) => input.kind === "stage");
}

/** Returns the outputs of a stage that others take. */
export function joinedOutputs(stages: readonly Manifest[], stageName: string | undefined): string[] {
  const taken = stages.flatMap(stageInputs).filter(({ stage }) => stage === stageName);
  return [...new Set(taken.map(({ output }) => output))];
}

function ofStage({ variants: _ofFirst, ...first }: Manifest, { name, ...stage }: Stage): Manifest {
  return { ...first, ...stage, stageName: name };
}
