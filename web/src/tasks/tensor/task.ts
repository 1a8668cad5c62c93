// Plain tensors: the graph's outputs, unchanged.

import type { TensorResult } from "../../api/types.js";
import type { TensorTask } from "../../manifest/manifest.js";
import type { FieldsOf, TaskModule } from "../task-module.js";

export const task: TaskModule<TensorTask, FieldsOf<TensorResult>> = {
  kind: "tensor",
  neededOutputs: ({ outputs }) => outputs.map(({ name }) => name),
  decode: (_, outputs, { source }) => ({ kind: "tensor", ...source, outputs }),
  resultIsOutputs: true,
  transfer: ({ outputs }) => ({ arrays: Object.values(outputs).map(({ data }) => data) }),
};
