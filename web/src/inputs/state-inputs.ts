// What a model remembers: zeros before the first run of a sequence.

import type { TensorData, Tensors } from "../api/types.js";
import type { Manifest, StateInput } from "../manifest/manifest.js";
import { toTensor } from "../tensors/typed-arrays.js";

/** Returns the zeros that each state is at first. */
export function stateFeeds(inputs: Manifest["inputs"]): Tensors {
  const states = inputs.filter((input) => input.kind === "state");
  return Object.fromEntries(states.map((input) => [input.name, firstState(input)]));
}

export function firstState(input: StateInput): TensorData {
  const length = input.shape.reduce((product, size) => product * size, 1);
  return toTensor(input, new Array<number>(length).fill(0));
}
