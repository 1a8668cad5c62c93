// Tensors on a GPU that can no longer be read.

import { vi } from "vitest";
import type { GpuTensor } from "../../src/tensors/gpu-tensor.js";

export const lost = new Error("the GPU is lost");

export function unreadable(): GpuTensor {
  const read = vi.fn(() => Promise.reject(lost));
  return { type: "float32", dims: [1], buffer: {} as GPUBuffer, read, copy: read, release: vi.fn() };
}

/** How often each was released. */
export function releases(tensors: readonly GpuTensor[]): number[] {
  return tensors.map(({ release }) => vi.mocked(release).mock.calls.length);
}
