// Dispatches with buffers of their own on the engine's device: all are begun at once, read back, and given back.

import { scoped } from "./feed/scopes.js";
import type { MapTap } from "./tasks/depth.js";

/** Buffers by the number of their binding. */
export type Bound = Readonly<Record<number, GPUBuffer>>;

export class GpuWork {
  readonly #device: GPUDevice;
  readonly #encoder: GPUCommandEncoder;
  readonly #made: GPUBuffer[] = [];

  private constructor(device: GPUDevice) {
    this.#device = device;
    this.#encoder = device.createCommandEncoder();
  }

  /** Does some work, and gives back everything it made. Rejects with what the device has against it. */
  static async hold<T>(device: GPUDevice, begin: (work: GpuWork) => Promise<T>): Promise<T> {
    const work = new GpuWork(device);
    try {
      const { ended } = await scoped(device, () => {
        const ended = begin(work);
        ended.catch(() => {});
        return { ended };
      });
      return await ended;
    } finally {
      for (const buffer of work.#made) buffer.destroy();
    }
  }

  dispatch(pipeline: GPUComputePipeline, bound: Bound, groups: readonly [number, number, number]): void {
    const entries = Object.entries(bound).map(([binding, buffer]) => ({
      binding: Number(binding),
      resource: { buffer },
    }));
    const bindings = this.#device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
    const pass = this.#encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bindings);
    pass.dispatchWorkgroups(...groups);
    pass.end();
  }

  /** Begins all dispatches, and returns what is in the buffers behind the last of them. */
  async read(...buffers: readonly GPUBuffer[]): Promise<ArrayBuffer[]> {
    const copies = buffers.map((each) => this.#copied(each));
    this.#device.queue.submit([this.#encoder.finish()]);
    await Promise.all(copies.map((each) => each.mapAsync(GPUMapMode.READ)));
    return copies.map((each) => each.getMappedRange().slice(0));
  }

  /** A buffer of zeros. None is empty: that cannot be bound. */
  empty(words: number): GPUBuffer {
    const { STORAGE, COPY_SRC } = GPUBufferUsage;
    return this.#kept({ size: Math.max(1, words) * 4, usage: STORAGE | COPY_SRC });
  }

  filled(
    data: Uint32Array<ArrayBuffer> | Float32Array<ArrayBuffer>,
    kind = GPUBufferUsage.STORAGE,
  ): GPUBuffer {
    const size = Math.max(4, data.byteLength);
    const buffer = this.#kept({ size, usage: kind | GPUBufferUsage.COPY_DST });
    this.#device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  }

  #copied(from: GPUBuffer): GPUBuffer {
    const { MAP_READ, COPY_DST } = GPUBufferUsage;
    const copy = this.#kept({ size: from.size, usage: MAP_READ | COPY_DST });
    this.#encoder.copyBufferToBuffer(from, 0, copy, 0, from.size);
    return copy;
  }

  #kept(wanted: GPUBufferDescriptor): GPUBuffer {
    const buffer = this.#device.createBuffer(wanted);
    this.#made.push(buffer);
    return buffer;
  }
}

/** Four words each. One outside of the input, whose fraction is no number, has 0 in the last. */
export function packedTaps(taps: readonly MapTap[]): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(taps.length * 4);
  const floats = new Float32Array(words.buffer);
  for (const [index, { first, second, fraction }] of taps.entries()) {
    const inside = !Number.isNaN(fraction);
    words.set([first, second, 0, inside ? 1 : 0], index * 4);
    floats[index * 4 + 2] = inside ? fraction : 0;
  }
  return words;
}
