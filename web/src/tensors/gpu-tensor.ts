// Tensors in GPU buffers.

import type { TensorData } from "../api/types.js";

export interface GpuTensor {
  type: "float32";
  dims: number[];
  buffer: GPUBuffer;
  /** Reads the tensor and releases it. */
  read(): Promise<TensorData>;
  /** Reads the tensor. It stays on the GPU. */
  copy(): Promise<TensorData>;
  /** Releases the tensor, if it was created for its holder. */
  release(): void;
}

export type AnyTensors = Record<string, TensorData | GpuTensor>;

export function isOnGpu(tensor: AnyTensors[string] | undefined): tensor is GpuTensor {
  return tensor !== undefined && "buffer" in tensor;
}

/** Returns all tensors in memory. If one cannot be read, all are released. */
export function readTensors(tensors: AnyTensors): Promise<Record<string, TensorData>> {
  return inMemory(tensors, (tensor) => tensor.read()).catch((error: unknown) => {
    releaseTensors(tensors);
    throw error;
  });
}

/** Returns all tensors in memory. Those on the GPU also stay there. */
export function copyTensors(tensors: AnyTensors): Promise<Record<string, TensorData>> {
  return inMemory(tensors, (tensor) => tensor.copy());
}

/**
 * Returns a tensor for a second reader, which may keep, transfer or release it: a copy in memory, or the same
 * one on the GPU.
 */
export async function copyOf(
  tensor: TensorData | GpuTensor,
  staysOnGpu: boolean,
): Promise<TensorData | GpuTensor> {
  if (!isOnGpu(tensor)) return { ...tensor, data: tensor.data.slice() } as TensorData;
  return staysOnGpu ? { ...tensor, read: tensor.copy, release: () => {} } : tensor.copy();
}

/** Releases the tensors on the GPU. */
export function releaseTensors(tensors: AnyTensors): void {
  for (const tensor of Object.values(tensors)) if (isOnGpu(tensor)) tensor.release();
}

/** Waits for all promises, even if one rejects: the engine cannot release a tensor that it is reading. */
export async function everyOne<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

async function inMemory(
  tensors: AnyTensors,
  read: (tensor: GpuTensor) => Promise<TensorData>,
): Promise<Record<string, TensorData>> {
  const entries = Object.entries(tensors).map(async ([name, tensor]) => [
    name,
    isOnGpu(tensor) ? await read(tensor) : tensor,
  ]);
  return Object.fromEntries(await everyOne(entries));
}
