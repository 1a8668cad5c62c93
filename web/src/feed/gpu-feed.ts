// Pictures into the model's input by one dispatch each, on the device that the engine computes on.

import type { TensorData } from "../api.js";
import { internalError } from "../errors.js";
import { type Geometry, placePicture, planeSize } from "../letterbox.js";
import type { Pictured } from "../pictured.js";
import { type Frame, uploaded } from "./frame.js";
import { OFFSET_AT, PLACING_BYTES, placingOf } from "./placing.js";
import { scoped } from "./scopes.js";
import { GROUP, SHADER } from "./shader.js";

type Size = Geometry["source"];

/** What is kept for the next picture of the same size. */
interface Kept {
  geometry: Geometry;
  texture: GPUTexture;
  buffers: GPUBuffer[];
  bindings: GPUBindGroup;
}

export class GpuFeed {
  /** The input. Every picture is written into it: what was there is read, or lost. */
  readonly buffer: GPUBuffer;
  readonly #device: GPUDevice;
  readonly #pictured: Pictured;
  readonly #pipeline: GPUComputePipeline;
  readonly #placing: GPUBuffer;
  #kept: Kept | null = null;

  private constructor(device: GPUDevice, pictured: Pictured, pipeline: GPUComputePipeline) {
    const { STORAGE, UNIFORM, COPY_SRC, COPY_DST } = GPUBufferUsage;
    this.#device = device;
    this.#pictured = pictured;
    this.#pipeline = pipeline;
    const size = elements(pictured) * Float32Array.BYTES_PER_ELEMENT;
    this.buffer = device.createBuffer({ size, usage: STORAGE | COPY_SRC | COPY_DST });
    this.#placing = device.createBuffer({ size: PLACING_BYTES, usage: UNIFORM | COPY_DST });
  }

  /** Compiles the shader. Rejects where the GPU cannot have it. */
  static async open(device: GPUDevice, pictured: Pictured): Promise<GpuFeed> {
    const pipeline = await scoped(device, () => {
      const module = device.createShaderModule({ code: SHADER });
      return device.createComputePipelineAsync({ layout: "auto", compute: { module, entryPoint: "feed" } });
    });
    return scoped(device, () => new GpuFeed(device, pictured, pipeline));
  }

  /** Makes room for a picture of this size. Returns why the GPU has none, null where it has. */
  async refusal({ width, height }: Size): Promise<string | null> {
    const { source } = this.#kept?.geometry ?? {};
    if (source?.width === width && source.height === height) return null;
    const most = this.#device.limits.maxTextureDimension2D;
    if (Math.max(width, height) > most || Math.min(width, height) === 0)
      return `a picture of ${width} x ${height} is no texture here: their sides are 1 to ${most} pixels`;
    try {
      await scoped(this.#device, () => this.#keep({ width, height }));
      return null;
    } catch (error) {
      this.#forget();
      return `the GPU has no room for a picture of ${width} x ${height}: ${error}`;
    }
  }

  /** Begins to make the picture, for which there is room, into the part of the input that is the `index`th of a stack. */
  write(frame: Frame, index = 0): Geometry {
    if (this.#kept === null) throw internalError("a picture came for which there is no room on the GPU");
    const { geometry, texture, bindings } = this.#kept;
    const { shape, count } = this.#pictured;
    const offset = (index * elements({ shape })) / (count ?? 1);
    this.#device.queue.writeBuffer(this.#placing, OFFSET_AT, Uint32Array.of(offset));
    uploaded(this.#device.queue, frame, texture);
    const { width, height } = planeSize(this.#pictured.picture);
    const encoder = this.#device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(this.#pipeline);
    pass.setBindGroup(0, bindings);
    pass.dispatchWorkgroups(Math.ceil(width / GROUP), Math.ceil(height / GROUP));
    pass.end();
    this.#device.queue.submit([encoder.finish()]);
    return geometry;
  }

  /** Puts elements into the input that were made elsewhere. */
  fill(data: TensorData["data"]): void {
    this.#device.queue.writeBuffer(this.buffer, 0, data);
  }

  /** Reads what the input holds. */
  async read(): Promise<Float32Array<ArrayBuffer>> {
    const { MAP_READ, COPY_DST } = GPUBufferUsage;
    const { size } = this.buffer;
    const copy = this.#device.createBuffer({ size, usage: MAP_READ | COPY_DST });
    try {
      const encoder = this.#device.createCommandEncoder();
      encoder.copyBufferToBuffer(this.buffer, 0, copy, 0, size);
      this.#device.queue.submit([encoder.finish()]);
      await copy.mapAsync(GPUMapMode.READ);
      return new Float32Array(copy.getMappedRange().slice(0));
    } finally {
      copy.destroy();
    }
  }

  /** Gives back what is held on the GPU. */
  destroy(): void {
    this.#forget();
    this.#placing.destroy();
    this.buffer.destroy();
  }

  #keep({ width, height }: Size): void {
    this.#forget();
    const geometry = placePicture({ width, height }, this.#pictured.picture);
    const { columns, rows, uniform } = placingOf(geometry, this.#pictured.picture);
    this.#device.queue.writeBuffer(this.#placing, 0, uniform);
    const { TEXTURE_BINDING, COPY_DST, RENDER_ATTACHMENT } = GPUTextureUsage;
    const texture = this.#device.createTexture({
      size: [width, height],
      format: "rgba8unorm",
      usage: TEXTURE_BINDING | COPY_DST | RENDER_ATTACHMENT,
    });
    const buffers = [columns, rows].map((data) => this.#filled(data));
    const bound = [
      texture.createView(),
      ...[...buffers, this.#placing, this.buffer].map((buffer) => ({ buffer })),
    ];
    const bindings = this.#device.createBindGroup({
      layout: this.#pipeline.getBindGroupLayout(0),
      entries: bound.map((resource, binding) => ({ binding, resource })),
    });
    this.#kept = { geometry, texture, buffers, bindings };
  }

  #filled(data: Uint32Array<ArrayBuffer>): GPUBuffer {
    const { STORAGE, COPY_DST } = GPUBufferUsage;
    const buffer = this.#device.createBuffer({ size: data.byteLength, usage: STORAGE | COPY_DST });
    this.#device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  }

  #forget(): void {
    this.#kept?.texture.destroy();
    for (const buffer of this.#kept?.buffers ?? []) buffer.destroy();
    this.#kept = null;
  }
}

function elements({ shape }: Pick<Pictured, "shape">): number {
  return shape.reduce((product, length) => product * length, 1);
}
