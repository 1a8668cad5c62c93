// Runs the same inputs several times, each with the states that the previous run wrote.

import type { Tensors } from "../api/types.js";
import { stateInputs } from "../inputs/state-inputs.js";
import type { Manifest } from "../manifest/manifest.js";
import { StreamStates } from "../session/stream-states.js";
import type { AnyTensors } from "../tensors/gpu-tensor.js";

const STREAM = 0;

export interface StatefulRunner {
  /** Does one run. Its states may stay on the GPU. */
  run(feeds: AnyTensors): Promise<{ outputs: Tensors; states: AnyTensors }>;
  /** Returns states in memory, without releasing those on the GPU. */
  copy(states: AnyTensors): Promise<Tensors>;
}

/** Returns the outputs of the last of several runs, including the states after it, by output name. */
export async function runSequence(
  inputs: Manifest["inputs"],
  feeds: AnyTensors,
  steps: number,
  { run, copy }: StatefulRunner,
): Promise<Tensors> {
  const states = new StreamStates(inputs);
  try {
    let last: Tensors = {};
    let reached: AnyTensors = {};
    for (let step = 0; step < steps; step++) {
      const after = step === 0 ? null : step - 1;
      const begun = states.begin({ stream: STREAM, after, given: null }, null);
      const done = await run({ ...feeds, ...begun.feeds });
      states.keep(STREAM, step, { tensors: done.states, size: null });
      [last, reached] = [done.outputs, done.states];
    }
    const tensors = await copy(reached);
    const named = stateInputs(inputs).map(({ name, output }) => [output, tensors[name]]);
    return { ...Object.fromEntries(named), ...last };
  } finally {
    states.release();
  }
}
