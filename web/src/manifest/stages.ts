// The stages of a bundle: a manifest for each; the first stage's is the bundle's own.

import { tensorBytes } from "../tensors/raw-tensor.js";
import type { Manifest, Stage, StageInput } from "./manifest.js";

/** The manifest of a single stage, with the glue before it. */
export type StageManifest = Manifest & Pick<Stage, "glueModule">;

/** Returns a manifest for each stage, with its name as `stageName`. A bundle of one model has one stage. */
export function everyStage({ stages = [], textEncoder: _text, ...first }: Manifest): StageManifest[] {
  return [first, ...stages.map((stage) => ofStage(first, stage))];
}

/** Returns a manifest for the text encoder, null if there is none. */
export function textEncoderManifest({
  textEncoder,
  stages: _stages,
  ...first
}: Manifest): StageManifest | null {
  return textEncoder === undefined ? null : ofStage(first, textEncoder);
}

/** Returns a manifest for each model of a bundle: its stages, and the text encoder. */
export function everyModel(manifest: Manifest): StageManifest[] {
  const text = textEncoderManifest(manifest);
  return [...everyStage(manifest), ...(text === null ? [] : [text])];
}

/** Returns the task of the last stage, which is the task of the whole model. */
export function finalTask({ task, stages = [] }: Pick<Manifest, "task" | "stages">): Manifest["task"] {
  return stages.at(-1)?.task ?? task;
}

/** Returns the inputs that take an output of an earlier stage. */
export function stageInputs({ inputs }: Pick<Manifest, "inputs">): StageInput[] {
  return inputs.filter((input) => input.kind === "stage");
}

/** Returns the bytes that a stage reads of earlier stages' outputs. */
export function joinedBytes(manifest: Pick<Manifest, "inputs">): number {
  return stageInputs(manifest).reduce((sum, input) => sum + tensorBytes(input), 0);
}

/** Returns the outputs of a stage that other stages read. */
export function joinedOutputs(stages: readonly StageManifest[], stageName: string | undefined): string[] {
  const read = stages.flatMap(({ glueModule }) => glueModule?.reads ?? []);
  const taken = [...stages.flatMap(stageInputs), ...read].filter(({ stage }) => stage === stageName);
  return [...new Set(taken.map(({ output }) => output))];
}

function ofStage({ variants: _ofFirst, ...first }: Manifest, { name, ...stage }: Stage): StageManifest {
  return { ...first, ...stage, stageName: name };
}
