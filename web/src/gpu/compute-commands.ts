// Dispatches with buffers of their own on the engine's device: all are begun at once, read back, and given back.

import type { MapTap } from "../tasks/depth/map-reader.js";
import { withErrorScopes } from "./error-scopes.js";

/** What a shader reads or writes. */
export type Bound = GPUBuffer | GPUTextureView;

/** Buffers and textures by the number of their binding. */
type BoundBuffers = Readonly<Record<number, Bound>>;

export class ComputeCommands {
  readonly #device: GPUDevice;
  readonly #encoder: GPUCommandEncoder;
  readonly #buffers: (GPUBuffer | GPUTexture)[] = [];

  private constructor(device: GPUDevice) {
    this.#device = device;
    this.#encoder = device.createCommandEncoder();
  }

  /** Does some work, and releases everything it allocated. Rejects with what the device has against it. */
  static async run<T>(device: GPUDevice, begin: (commands: ComputeCommands) => Promise<T>): Promise<T> {
    const commands = new ComputeCommands(device);
    try {
      const { ended } = await withErrorScopes(device, () => {
        const ended = begin(commands);
        ended.catch(() => {});
        return { ended };
      });
      return await ended;
    } finally {
      for (const buffer of commands.#buffers) buffer.destroy();
    }
  }

  dispatch(
    pipeline: GPUComputePipeline,
    buffers: BoundBuffers,
    groups: readonly [number, number, number],
  ): void {
    const entries = Object.entries(buffers).map(([binding, bound]) => ({
      binding: Number(binding),
      resource: bound instanceof GPUBuffer ? { buffer: bound } : bound,
    }));
    const bindings = this.#device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
    const pass = this.#encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bindings);
    pass.dispatchWorkgroups(...groups);
    pass.end();
  }

  /** Copies what a buffer has from a byte on, as much as the other holds. */
  copy(from: GPUBuffer, offset: number, to: GPUBuffer): void {
    this.#encoder.copyBufferToBuffer(from, offset, to, 0, to.size);
  }

  /** Begins all dispatches, and returns what is in the buffers after the last of them. */
  async read(...buffers: readonly GPUBuffer[]): Promise<ArrayBuffer[]> {
    const copies = buffers.map((each) => this.#readback(each));
    this.#device.queue.submit([this.#encoder.finish()]);
    await Promise.all(copies.map((each) => each.mapAsync(GPUMapMode.READ)));
    return copies.map((each) => each.getMappedRange().slice(0));
  }

  /** A buffer of zeros. None is empty: that cannot be bound. */
  zeros(words: number): GPUBuffer {
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    return this.#create({ size: Math.max(1, words) * 4, usage: STORAGE | COPY_SRC | COPY_DST });
  }

  upload(
    data: Uint32Array<ArrayBuffer> | Float32Array<ArrayBuffer>,
    kind = GPUBufferUsage.STORAGE,
  ): GPUBuffer {
    const size = Math.max(4, data.byteLength);
    const buffer = this.#create({ size, usage: kind | GPUBufferUsage.COPY_DST });
    this.#device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  }

  texture(wanted: GPUTextureDescriptor): GPUTexture {
    const texture = this.#device.createTexture(wanted);
    this.#buffers.push(texture);
    return texture;
  }

  #readback(from: GPUBuffer): GPUBuffer {
    const { MAP_READ, COPY_DST } = GPUBufferUsage;
    const copy = this.#create({ size: from.size, usage: MAP_READ | COPY_DST });
    this.#encoder.copyBufferToBuffer(from, 0, copy, 0, from.size);
    return copy;
  }

  #create(wanted: GPUBufferDescriptor): GPUBuffer {
    const buffer = this.#device.createBuffer(wanted);
    this.#buffers.push(buffer);
    return buffer;
  }
}

/** Four words each. One outside of the input, whose fraction is no number, has 0 in the last. */
export function packTaps(taps: readonly MapTap[]): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(taps.length * 4);
  const floats = new Float32Array(words.buffer);
  for (const [index, { first, second, fraction }] of taps.entries()) {
    const inside = !Number.isNaN(fraction);
    words.set([first, second, 0, inside ? 1 : 0], index * 4);
    floats[index * 4 + 2] = inside ? fraction : 0;
  }
  return words;
}
