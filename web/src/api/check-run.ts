// Checks the options of a run on the page, before anything is sent to the worker.

import { focusFeeds } from "../inputs/focus-distances.js";
import { checkMask } from "../inputs/mask-input.js";
import { numberFeeds } from "../inputs/number-inputs.js";
import { optionFeeds } from "../inputs/validate-inputs.js";
import type { Manifest } from "../manifest/manifest.js";
import type { StageManifest } from "../manifest/stages.js";
import { requireNoTensors } from "../preprocess/image-input.js";
import type { ModelStage } from "../runs/model-stage.js";
import { checkTaskOptions, taskOptionNames } from "../tasks/task-options.js";
import { checkRunOptions, checkStageRunOptions, optionNames } from "./options.js";
import type { RunOptions } from "./types.js";

/** Throws "invalid-option" for an option that a model of these stages does not take. */
export function checkModelOptions(
  whole: Manifest,
  [first, ...others]: readonly [ModelStage, ...ModelStage[]],
  options: RunOptions,
): void {
  const last = others.at(-1);
  if (last === undefined) {
    checkRunOptions(optionNames(whole, "only"), options);
    return;
  }
  const names = [...optionNames(first.manifest, "first"), ...optionNames(last.manifest, "later")];
  checkStageRunOptions([...new Set(names)], options, "a model of several stages");
}

/** Throws if a later stage needs more than options to run, or if it does not take an option's value. */
export function checkStageRun(stage: StageManifest, options: RunOptions): void {
  if (stage.glueModule === undefined) requireNoTensors(stage.inputs);
  checkOptionValues(stage, options);
}

/** Throws "invalid-option" for a value that the stage does not take. */
export function checkOptionValues(stage: Manifest, options: RunOptions): void {
  const own = taskOptionNames(stage);
  optionFeeds(stage.inputs, options, own);
  checkTaskOptions(stage, options);
  focusFeeds(stage.inputs, options.focusDistances);
  numberFeeds(stage.inputs, options.numbers);
  if (!own.includes("mask")) checkMask(stage.inputs, options.mask);
}
