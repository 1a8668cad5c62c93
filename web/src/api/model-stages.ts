// What a model says of one of its stages, and to who names one that it has not.

import type { ModelStage } from "../runs/model-stage.js";
import { WebbuildError } from "./errors.js";
import type { ModelInfo, StageInfo, TensorRunOptions, Warning } from "./types.js";

export function stageInfo({ name, info, session: { loaded }, turns: { runs } }: ModelStage): StageInfo {
  const { backend, reason } = loaded.candidate;
  return { ...info, name, backend, reason, runs };
}

/** What is said of the first stage, and of each where there are several; of the text encoder where it is loaded. */
export function modelInfo(
  stages: readonly [ModelStage, ...ModelStage[]],
  text: ModelStage | null,
): ModelInfo {
  const several = stages.length > 1 ? { stages: stages.map(stageInfo) } : {};
  return { ...stages[0].info, ...several, ...(text === null ? {} : { text: stageInfo(text) }) };
}

/** Returns a warning of a stage as the model says it: a later one by its name, null where the first said the same. */
export function modelWarning(first: ModelStage, stage: ModelStage, warning: Warning): Warning | null {
  if (stage === first) return warning;
  const { code, message } = warning;
  const isSaid = first.session.warnings.some((each) => each.code === code && each.message === message);
  return isSaid ? null : { ...warning, message: `${stage.name}: ${message}` };
}

/** Returns the stage of a name, the first for none. Throws "invalid-option" where there is none, or where it has no state. */
export function stageForTensors(
  stages: readonly [ModelStage, ...ModelStage[]],
  { stage: name, state }: TensorRunOptions,
): ModelStage {
  const stage = stages.find((each) => name === undefined || each.name === name);
  if (stage === undefined) throw noStage(stages, name);
  if (stage !== stages[0] && state !== undefined) throw stateOfFirst(stage);
  return stage;
}

function stateOfFirst({ name }: ModelStage): WebbuildError {
  const what = `state: the stage "${name}" has none, the first stage alone has`;
  return new WebbuildError("invalid-option", what, "leave state out");
}

function noStage(stages: readonly ModelStage[], name: string | undefined): WebbuildError {
  const fix = `its stages are: ${stages.map((each) => each.name).join(", ")}`;
  return new WebbuildError("invalid-option", `stage: the model has no stage "${name}"`, fix);
}
