// Compute dispatches on the engine's device in one command buffer, with temporary buffers that are read back and destroyed.

import { withErrorScopes } from "./error-scopes.js";

/** A resource that a shader reads or writes. */
export type Bound = GPUBuffer | GPUTextureView;

/** Resources by binding number. */
type BoundBuffers = Readonly<Record<number, Bound>>;

export class ComputeCommands {
  readonly #device: GPUDevice;
  readonly #encoder: GPUCommandEncoder;
  readonly #allocated: (GPUBuffer | GPUTexture)[] = [];

  private constructor(device: GPUDevice) {
    this.#device = device;
    this.#encoder = device.createCommandEncoder();
  }

  /** Does work, then destroys everything that it allocated. Rejects with the device's error if it refuses a command. */
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
      for (const each of commands.#allocated) each.destroy();
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

  /** Copies `to.size` bytes of `from`, from a byte offset on, into `to`. */
  copy(from: GPUBuffer, offset: number, to: GPUBuffer): void {
    this.#encoder.copyBufferToBuffer(from, offset, to, 0, to.size);
  }

  /** Submits all dispatches, and returns the contents of the buffers after the last of them. */
  async read(...buffers: readonly GPUBuffer[]): Promise<ArrayBuffer[]> {
    const copies = buffers.map((each) => this.#readback(each));
    this.#device.queue.submit([this.#encoder.finish()]);
    await Promise.all(copies.map((each) => each.mapAsync(GPUMapMode.READ)));
    return copies.map((each) => each.getMappedRange().slice(0));
  }

  /** A buffer of zeros, of one word at least: an empty buffer cannot be bound. */
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
    this.#allocated.push(texture);
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
    this.#allocated.push(buffer);
    return buffer;
  }
}
