// Splits an output that a graph concatenated from several tensors: each is shown as a separate output.

import { inSlices } from "../../src/export/slices.js";
import type { TensorData, Tensors } from "../../src/index.js";
import type { JoinedTensor } from "../../src/manifest/manifest.js";

/** Cells to copy between two pauses. */
const slice = 100_000;

/** Returns the outputs, each followed by the tensors that it is joined from; with `only`, just the tensor of that name. */
export async function withJoined(
  outputs: Tensors,
  joined: readonly JoinedTensor[],
  only: string | null = null,
): Promise<Tensors> {
  const all: Record<string, TensorData> = {};
  for (const [name, tensor] of Object.entries(outputs)) {
    all[name] = tensor;
    for (const part of joined.filter(({ output }) => output === name))
      if (only === null || only === joinedName(part)) all[joinedName(part)] = await cut(tensor, part);
  }
  return all;
}

function joinedName({ output, first, end }: JoinedTensor): string {
  return end - first === 1 ? `channel ${first} of ${output}` : `channels ${first} to ${end - 1} of ${output}`;
}

/** [1, C, h, w] or [1, h, w, C] -> the same with channels `first` up to `end`. */
async function cut(tensor: TensorData, { axis, first, end }: JoinedTensor): Promise<TensorData> {
  const { type, dims, data } = tensor;
  if (type !== "float32") return tensor;
  const [channels, places] = [dims[axis] ?? 1, data.length / (dims[axis] ?? 1)];
  const width = end - first;
  const dimsOfPart = dims.with(axis, width);
  if (axis === 1) return { type, dims: dimsOfPart, data: data.subarray(first * places, end * places) };
  const part = new Float32Array(places * width);
  await inSlices(places, slice, (from, to) => {
    for (let place = from; place < to; place += 1)
      for (let channel = 0; channel < width; channel += 1)
        part[place * width + channel] = data[place * channels + first + channel] ?? 0;
  });
  return { type, dims: dimsOfPart, data: part };
}
