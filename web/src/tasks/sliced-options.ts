// The options of the tasks that can run on slices.

import { WebbuildError } from "../api/errors.js";
import { takesMask } from "../inputs/mask-input.js";
import { stateInputs } from "../inputs/state-inputs.js";
import type { Manifest } from "../manifest/manifest.js";
import type { SlicedTask } from "../slices/sliced-task.js";
import type { TaskSpec } from "./task-module.js";
import type { TaskOptions } from "./task-options.js";

export function slicedOptions<Spec extends TaskSpec>(
  kind: Spec["kind"],
  sliced: SlicedTask,
): TaskOptions<Spec> {
  return {
    kind,
    names: ["slices", "onProgress"],
    sliced,
    refusal:
      "the model's results cannot be merged from slices; boxes, rotated boxes, masks of objects and poses can",
    check({ inputs }, { slices, onProgress }) {
      if (slices === undefined && onProgress !== undefined) {
        const what = "onProgress: the model runs on the whole picture at once";
        throw new WebbuildError("invalid-option", what, "leave onProgress out, or give slices");
      }
      if (slices === undefined) return;
      requireOnePicture(inputs);
      if (slices.merge === "greedy-nmm" && sliced.join === undefined) {
        const what = "slices.merge: rotated boxes cannot be merged, so only the best is kept";
        throw new WebbuildError("invalid-option", what, 'give "nms", or leave merge out');
      }
    },
  };
}

/** Throws "invalid-option" if a slice alone is not enough to run the model. */
function requireOnePicture(inputs: Manifest["inputs"]): void {
  const refuse = (what: string): never => {
    throw new WebbuildError("invalid-option", `slices: ${what}`, "leave slices out: the picture is resized");
  };
  if (stateInputs(inputs).length > 0)
    refuse("a model with state runs whole pictures, each slice would need its own");
  if (inputs.some(({ kind }) => kind === "stack")) refuse("the model takes several pictures at once");
  if (takesMask(inputs)) refuse("the model takes a mask, which covers the whole picture");
}
