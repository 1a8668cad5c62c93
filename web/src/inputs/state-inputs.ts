// The state inputs: the runtime feeds them, with zeros in the first run.

import type { TensorData, Tensors } from "../api/types.js";
import type { Manifest, StateInput } from "../manifest/manifest.js";
import { zeroTensor } from "../tensors/raw-tensor.js";

/** Returns the state inputs. */
export function stateInputs(inputs: Manifest["inputs"]): StateInput[] {
  return inputs.filter((input) => input.kind === "state");
}

/** Returns the initial states of a sequence: zeros. */
export function firstStates(inputs: Manifest["inputs"]): Tensors {
  return Object.fromEntries(stateInputs(inputs).map((input) => [input.name, firstState(input)]));
}

export function firstState(input: StateInput): TensorData {
  return zeroTensor(input);
}

/** Whether tensors are all states of a model, with its types and shapes. */
export function areStates(inputs: Manifest["inputs"], tensors: Readonly<Tensors>): boolean {
  const states = stateInputs(inputs);
  const fits = ({ name, dtype, shape }: StateInput): boolean => {
    const { type, dims, data } = Object(tensors[name]) as Partial<TensorData>;
    const wanted = zeroTensor({ dtype, shape });
    return (
      type === dtype &&
      Array.isArray(dims) &&
      dims.join() === shape.join() &&
      data?.constructor === wanted.data.constructor &&
      data.length === wanted.data.length
    );
  };
  return Object.keys(tensors).length === states.length && states.every(fits);
}
