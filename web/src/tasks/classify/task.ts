// Image classification: decodes scores or logits [1, classes] into classes, the most probable first.

import type { ClassifyResult } from "../../api/types.js";
import type { ClassifyTask } from "../../manifest/manifest.js";
import { readFloats } from "../read-output.js";
import type { FieldsOf, TaskModule } from "../task-module.js";
import { classDifference, decodeClasses } from "./class-scores.js";

export const task: TaskModule<ClassifyTask, FieldsOf<ClassifyResult>> = {
  kind: "classify",
  neededOutputs: ({ task: { output } }) => [output],
  decode({ task }, outputs, { source }) {
    const values = readFloats(outputs, task.output, [1, task.classes.length]);
    return { kind: "classify", ...source, classes: decodeClasses(task, values) };
  },
  difference: classDifference,
};
