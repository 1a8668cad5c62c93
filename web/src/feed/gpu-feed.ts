// Pictures into the model's input by one dispatch each, on the device that the engine computes on.

import type { TensorData } from "../api.js";
import { internalError } from "../errors.js";
import { type Geometry, placePicture, planeSize } from "../letterbox.js";
import type { Pictured } from "../pictured.js";
import { isVideoFrame, sizeOf } from "../pixels.js";
import { type Frame, uploaded } from "./frame.js";
import { OFFSET_AT, PLACING_BYTES, placingOf } from "./placing.js";
import { scoped } from "./scopes.js";
import { GROUP, shaderOf, type TextureKind } from "./shader.js";

type Size = Geometry["source"];

interface Bound {
  pipeline: GPUComputePipeline;
  bindings: GPUBindGroup;
}

type Copied = Bound & { texture: GPUTexture };

/** What is kept for the next picture of the same size. `copied` is null until one of them is to be copied. */
interface Kept {
  geometry: Geometry;
  copied: Copied | null;
  buffers: GPUBuffer[];
}

export class GpuFeed {
  /** The input. Every picture is written into it: what was there is read, or lost. */
  readonly buffer: GPUBuffer;
  readonly #device: GPUDevice;
  readonly #pictured: Pictured;
  readonly #copied: GPUComputePipeline;
  readonly #external: GPUComputePipeline | null;
  readonly #placing: GPUBuffer;
  #kept: Kept | null = null;

  private constructor(
    device: GPUDevice,
    pictured: Pictured,
    copied: GPUComputePipeline,
    external: GPUComputePipeline | null,
  ) {
    const { STORAGE, UNIFORM, COPY_SRC, COPY_DST } = GPUBufferUsage;
    this.#device = device;
    this.#pictured = pictured;
    this.#copied = copied;
    this.#external = external;
    const size = elements(pictured) * Float32Array.BYTES_PER_ELEMENT;
    this.buffer = device.createBuffer({ size, usage: STORAGE | COPY_SRC | COPY_DST });
    this.#placing = device.createBuffer({ size: PLACING_BYTES, usage: UNIFORM | COPY_DST });
  }

  /** Compiles the shader for pictures that are copied, and for VideoFrames too. Rejects where the GPU cannot have it. */
  static async open(device: GPUDevice, pictured: Pictured, withFrames = false): Promise<GpuFeed> {
    const copied = await compiled(device, "copied");
    const external = withFrames ? await compiled(device, "external") : null;
    return scoped(device, () => new GpuFeed(device, pictured, copied, external));
  }

  /** Makes room for what is to be written. Returns why the GPU has none, null where it has. */
  async refusal(frame: Frame | VideoFrame | Size): Promise<string | null> {
    const external = isVideoFrame(frame);
    const { width, height } = sizeOf(frame);
    const { geometry, copied = null } = this.#kept ?? {};
    const placed = geometry?.source.width === width && geometry.source.height === height;
    if (placed && (external || copied !== null)) return null;
    const most = this.#device.limits.maxTextureDimension2D;
    if (Math.max(width, height) > most || Math.min(width, height) === 0)
      return `a picture of ${width} x ${height} is no texture here: their sides are 1 to ${most} pixels`;
    try {
      await scoped(this.#device, () => this.#keep({ width, height }, external));
      return null;
    } catch (error) {
      this.#forget();
      return `the GPU has no room for a picture of ${width} x ${height}: ${error}`;
    }
  }

  /**
   * Begins to make the picture, for which there is room, into the part of the input that is the `index`th of a stack.
   * A VideoFrame is read where it lies, and may be closed behind this. Throws where it cannot be.
   */
  write(frame: Frame | VideoFrame, index = 0): Geometry {
    if (this.#kept === null) throw internalError("a picture came for which there is no room on the GPU");
    const { geometry } = this.#kept;
    const { shape, count } = this.#pictured;
    const { pipeline, bindings } = this.#bound(frame, this.#kept);
    const offset = (index * elements({ shape })) / (count ?? 1);
    this.#device.queue.writeBuffer(this.#placing, OFFSET_AT, Uint32Array.of(offset));
    const { width, height } = planeSize(this.#pictured.picture);
    const encoder = this.#device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
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

  /** An external texture is good until the task ends or its frame is closed, and so bound to one dispatch. */
  #bound(frame: Frame | VideoFrame, { copied, buffers }: Kept): Bound {
    if (isVideoFrame(frame)) {
      if (this.#external === null) throw internalError("a frame came for which there is no shader");
      const picture = this.#device.importExternalTexture({ source: frame });
      return this.#bind(this.#external, picture, buffers);
    }
    if (copied === null) throw internalError("a picture came for which there is no texture");
    uploaded(this.#device.queue, frame, copied.texture);
    return copied;
  }

  #keep({ width, height }: Size, external: boolean): void {
    this.#forget();
    const geometry = placePicture({ width, height }, this.#pictured.picture);
    const { columns, rows, uniform } = placingOf(geometry, this.#pictured.picture);
    this.#device.queue.writeBuffer(this.#placing, 0, uniform);
    const buffers = [columns, rows].map((data) => this.#filled(data));
    const copied = external ? null : this.#texture({ width, height }, buffers);
    this.#kept = { geometry, copied, buffers };
  }

  #texture({ width, height }: Size, buffers: readonly GPUBuffer[]): Copied {
    const { TEXTURE_BINDING, COPY_DST, RENDER_ATTACHMENT } = GPUTextureUsage;
    const texture = this.#device.createTexture({
      size: [width, height],
      format: "rgba8unorm",
      usage: TEXTURE_BINDING | COPY_DST | RENDER_ATTACHMENT,
    });
    return { texture, ...this.#bind(this.#copied, texture.createView(), buffers) };
  }

  #bind(
    pipeline: GPUComputePipeline,
    picture: GPUTextureView | GPUExternalTexture,
    buffers: readonly GPUBuffer[],
  ): Bound {
    const bound = [picture, ...[...buffers, this.#placing, this.buffer].map((buffer) => ({ buffer }))];
    const bindings = this.#device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: bound.map((resource, binding) => ({ binding, resource })),
    });
    return { pipeline, bindings };
  }

  #filled(data: Uint32Array<ArrayBuffer>): GPUBuffer {
    const { STORAGE, COPY_DST } = GPUBufferUsage;
    const buffer = this.#device.createBuffer({ size: data.byteLength, usage: STORAGE | COPY_DST });
    this.#device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  }

  #forget(): void {
    this.#kept?.copied?.texture.destroy();
    for (const buffer of this.#kept?.buffers ?? []) buffer.destroy();
    this.#kept = null;
  }
}

async function compiled(device: GPUDevice, kind: TextureKind): Promise<GPUComputePipeline> {
  return scoped(device, () => {
    const module = device.createShaderModule({ code: shaderOf(kind) });
    return device.createComputePipelineAsync({ layout: "auto", compute: { module, entryPoint: "feed" } });
  });
}

function elements({ shape }: Pick<Pictured, "shape">): number {
  return shape.reduce((product, length) => product * length, 1);
}
