// Tensors that never left the GPU, beside those in memory.

import type { TensorData } from "../api/types.js";

export interface GpuTensor {
  type: "float32";
  dims: number[];
  buffer: GPUBuffer;
  read(): Promise<TensorData>;
  /** Gives it back, where it was made for whoever holds it. */
  release(): void;
}

export type AnyTensors = Record<string, TensorData | GpuTensor>;

export function isOnGpu(tensor: AnyTensors[string] | undefined): tensor is GpuTensor {
  return tensor !== undefined && "buffer" in tensor;
}

/** Returns all of them in memory. */
export async function readTensors(tensors: AnyTensors): Promise<Record<string, TensorData>> {
  const read = Object.entries(tensors).map(async ([name, tensor]) => [
    name,
    isOnGpu(tensor) ? await tensor.read() : tensor,
  ]);
  return Object.fromEntries(await Promise.all(read));
}
