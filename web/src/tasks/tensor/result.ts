// The outputs of a model without a known task.

import type { RunResult } from "../../api/run-result.js";
import type { Tensors } from "../../api/tensors.js";

/** The outputs of a model without a known task. */
export interface TensorResult extends RunResult {
  kind: "tensor";
  outputs: Tensors;
}
