// The options of the tasks that take crops.

import { WebbuildError } from "../api/errors.js";
import type { TaskSpec } from "./task-module.js";
import type { TaskOptions } from "./task-options.js";

export function cropOptions<Spec extends TaskSpec>(kind: Spec["kind"]): TaskOptions<Spec> {
  return {
    kind,
    names: ["onProgress"],
    refusal: "the model takes no crops",
    check({ stageName }, { onProgress }) {
      if (onProgress === undefined || stageName !== undefined) return;
      const what = "onProgress: the model runs on the whole picture, not on crops of it";
      throw new WebbuildError("invalid-option", what, "leave onProgress out");
    },
  };
}
