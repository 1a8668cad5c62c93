// The confidence threshold of a run.

import type { RunOptions } from "../../api/types.js";
import type { TextBoxesTask } from "../../manifest/manifest.js";
import type { TaskOptions } from "../task-options.js";
import { checkUnitRange } from "../unit-range.js";

export const options: TaskOptions<TextBoxesTask> = {
  kind: "text-boxes",
  names: [],
  alsoTakes: ["confidence"],
  refusal: "the model takes none",
  check: ({ task }, runOptions) => confidenceOf(task, runOptions),
};

/** Throws for a threshold that is out of range. */
export function confidenceOf(task: TextBoxesTask, { confidence = task.confidence }: RunOptions): number {
  checkUnitRange("confidence", confidence);
  return confidence;
}
