// Stages of a model: their info, their warnings, and the stage that `options.stage` names.

import type { ModelStage } from "../runs/model-stage.js";
import { WebbuildError } from "./errors.js";
import type { ModelInfo, StageInfo, TensorRunOptions, Warning } from "./types.js";

export function stageInfo({ name, info, session: { loaded }, turns: { runs } }: ModelStage): StageInfo {
  const { backend, reason } = loaded.candidate;
  return { ...info, name, backend, reason, runs };
}

/**
 * Returns `model.info()`: that of the first stage, with `stages` if there are several and `text` if a text
 * encoder is loaded.
 */
export function modelInfo(
  stages: readonly [ModelStage, ...ModelStage[]],
  text: ModelStage | null,
): ModelInfo {
  const several = stages.length > 1 ? { stages: stages.map(stageInfo) } : {};
  return { ...stages[0].info, ...several, ...(text === null ? {} : { text: stageInfo(text) }) };
}

/**
 * Returns a stage's warning as a warning of the model. A later stage's starts with its name; null if the
 * first stage has the same.
 */
export function modelWarning(first: ModelStage, stage: ModelStage, warning: Warning): Warning | null {
  if (stage === first) return warning;
  const { code, message } = warning;
  const isDuplicate = first.session.warnings.some((each) => each.code === code && each.message === message);
  return isDuplicate ? null : { ...warning, message: `${stage.name}: ${message}` };
}

/**
 * Returns the stage that `options.stage` names, by default the first. Throws "invalid-option" for an unknown
 * name, and for `state` with a later stage.
 */
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
