// Splits the outputs of a run into results and the states for the next run.

import type { StateInput } from "../manifest/manifest.js";
import { type AnyTensors, copyOf, releaseTensors } from "../tensors/gpu-tensor.js";

/**
 * Splits outputs into results and states. An output may be both: in y = 0.9 * s + x, y is the result and the
 * next s. The result is then a copy. If copying fails, all outputs are released.
 */
export async function splitStates(
  run: AnyTensors,
  inputs: readonly StateInput[],
  results: readonly string[],
  staysOnGpu: readonly string[],
): Promise<{ outputs: AnyTensors; states: AnyTensors }> {
  const outputs: AnyTensors = {};
  const states: AnyTensors = {};
  for (const { name, output } of inputs) if (run[output] !== undefined) states[name] = run[output];
  try {
    for (const name of results) {
      const tensor = run[name];
      if (tensor === undefined) continue;
      const shared = inputs.some(({ output }) => output === name);
      outputs[name] = shared ? await copyOf(tensor, staysOnGpu.includes(name)) : tensor;
    }
  } catch (error) {
    releaseTensors(run);
    throw error;
  }
  return { outputs, states };
}
