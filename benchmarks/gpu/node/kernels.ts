// Counts the kernels that are started.

let started = 0;

/** Counts from here on; before anything is made of WebGPU. */
export function countKernels(): void {
  for (const name of ["dispatchWorkgroups", "dispatchWorkgroupsIndirect"] as const) {
    const original = GPUComputePassEncoder.prototype[name] as (...given: unknown[]) => undefined;
    const counting = function (this: GPUComputePassEncoder, ...given: unknown[]): undefined {
      started += 1;
      return original.apply(this, given);
    };
    Object.assign(GPUComputePassEncoder.prototype, { [name]: counting });
  }
}

/** Returns the kernels that some work starts. */
export async function kernelsOf(work: () => Promise<unknown>): Promise<number> {
  const before = started;
  await work();
  return started - before;
}
