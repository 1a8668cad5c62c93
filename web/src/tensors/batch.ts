// Batches tensors of several pictures along the first axis, and splits them again.

import { internalError } from "../api/errors.js";
import type { TensorData, Tensors } from "../api/types.js";
import { type AnyTensors, isOnGpu } from "./gpu-tensor.js";

/** Concatenates tensors [1, ...] of one type into [n, ...]. */
export function concatenated(tensors: readonly TensorData[]): TensorData {
  const [first] = tensors;
  if (first?.type !== "float32" && first?.type !== "uint8" && first?.type !== "int32")
    throw internalError("a batch without pictures");
  const length = first.data.length;
  const dims = [tensors.length, ...first.dims.slice(1)];
  const fill = <A extends Float32Array<ArrayBuffer> | Uint8Array<ArrayBuffer> | Int32Array<ArrayBuffer>>(
    data: A,
  ): A => {
    for (const [at, tensor] of tensors.entries()) data.set(tensor.data as A, at * length);
    return data;
  };
  const size = length * tensors.length;
  if (first.type === "uint8") return { type: "uint8", dims, data: fill(new Uint8Array(size)) };
  if (first.type === "int32") return { type: "int32", dims, data: fill(new Int32Array(size)) };
  return { type: "float32", dims, data: fill(new Float32Array(size)) };
}

/** Returns the outputs of picture `at` of `batch`: [n, ...] -> [1, ...], copied. */
export function outputsOf(outputs: AnyTensors, at: number, batch: number): Tensors {
  const entries = Object.entries(outputs).map(([name, tensor]) => {
    if (isOnGpu(tensor)) throw internalError(`output ${name} of a batch is on the GPU`);
    const { type, dims, data } = tensor;
    const length = data.length / batch;
    const part = data.slice(at * length, (at + 1) * length);
    return [name, { type, dims: [1, ...dims.slice(1)], data: part } as TensorData] as const;
  });
  return Object.fromEntries(entries);
}
