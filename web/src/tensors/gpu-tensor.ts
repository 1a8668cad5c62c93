// Tensors in GPU buffers, beside those in memory.

import type { TensorData } from "../api/types.js";

export interface GpuTensor {
  type: "float32";
  dims: number[];
  buffer: GPUBuffer;
  /** Reads it, and gives it back. */
  read(): Promise<TensorData>;
  /** Reads it; it stays on the GPU. */
  copy(): Promise<TensorData>;
  /** Gives it back, where it was made for whoever holds it. */
  release(): void;
}

export type AnyTensors = Record<string, TensorData | GpuTensor>;

export function isOnGpu(tensor: AnyTensors[string] | undefined): tensor is GpuTensor {
  return tensor !== undefined && "buffer" in tensor;
}

/** Returns all of them in memory. Where one cannot be read, all are given back. */
export function readTensors(tensors: AnyTensors): Promise<Record<string, TensorData>> {
  return inMemory(tensors, (tensor) => tensor.read()).catch((error: unknown) => {
    releaseTensors(tensors);
    throw error;
  });
}

/** Returns all of them in memory; those on the GPU stay there too. */
export function copyTensors(tensors: AnyTensors): Promise<Record<string, TensorData>> {
  return inMemory(tensors, (tensor) => tensor.copy());
}

/** Returns what a second reader may keep, move or release: a copy in memory, or the same on the GPU, where it stays. */
export async function copyOf(
  tensor: TensorData | GpuTensor,
  staysOnGpu: boolean,
): Promise<TensorData | GpuTensor> {
  if (!isOnGpu(tensor)) return { ...tensor, data: tensor.data.slice() } as TensorData;
  return staysOnGpu ? { ...tensor, read: tensor.copy, release: () => {} } : tensor.copy();
}

/** Gives back those on the GPU. */
export function releaseTensors(tensors: AnyTensors): void {
  for (const tensor of Object.values(tensors)) if (isOnGpu(tensor)) tensor.release();
}

/** Waits for all, also where one fails: the engine refuses to give back a tensor that it is reading. */
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
