// Preprocesses pictures into the model's input on the engine's device, with one dispatch for each picture.

import { internalError } from "../../api/errors.js";
import type { TensorData } from "../../api/types.js";
import { withErrorScopes } from "../../gpu/error-scopes.js";
import { elementCount } from "../../tensors/element-count.js";
import { isVideoFrame, sizeOf } from "../canvas-pixels.js";
import type { RunInput } from "../image-input.js";
import { type Geometry, placePicture, planeSize } from "../letterbox.js";
import { GROUP, shaderOf, type TextureKind } from "./preprocess-shader.js";
import { OFFSET_BYTE, PARAMETER_BYTES, shaderParameters } from "./shader-parameters.js";
import { type TextureSource, uploadTexture } from "./upload-texture.js";

type Size = Geometry["source"];

interface BoundPipeline {
  pipeline: GPUComputePipeline;
  bindings: GPUBindGroup;
}

type CopiedTexture = BoundPipeline & { texture: GPUTexture };

/**
 * The resources for pictures of one size, reused for the next picture. `copied` is null until a picture of
 * the size is copied.
 */
interface PictureResources {
  geometry: Geometry;
  copied: CopiedTexture | null;
  buffers: GPUBuffer[];
}

export class GpuPreprocess {
  /** The input. Each run overwrites it. */
  readonly buffer: GPUBuffer;
  readonly #device: GPUDevice;
  readonly #input: RunInput;
  readonly #copied: GPUComputePipeline;
  readonly #external: GPUComputePipeline | null;
  readonly #parameters: GPUBuffer;
  #resources: PictureResources | null = null;

  private constructor(
    device: GPUDevice,
    input: RunInput,
    copied: GPUComputePipeline,
    external: GPUComputePipeline | null,
  ) {
    const { STORAGE, UNIFORM, COPY_SRC, COPY_DST } = GPUBufferUsage;
    this.#device = device;
    this.#input = input;
    this.#copied = copied;
    this.#external = external;
    const size = elementCount(input.shape) * Float32Array.BYTES_PER_ELEMENT;
    this.buffer = device.createBuffer({ size, usage: STORAGE | COPY_SRC | COPY_DST });
    this.#parameters = device.createBuffer({ size: PARAMETER_BYTES, usage: UNIFORM | COPY_DST });
  }

  /** Compiles the shader for copied pictures, and if `withFrames` for VideoFrames. Rejects if the device refuses it. */
  static async open(device: GPUDevice, input: RunInput, withFrames = false): Promise<GpuPreprocess> {
    const copied = await compile(device, "copied");
    const external = withFrames ? await compile(device, "external") : null;
    return withErrorScopes(device, () => new GpuPreprocess(device, input, copied, external));
  }

  /** Allocates the resources for a picture before write(). Returns why the GPU cannot, null if it can. */
  async allocate(frame: TextureSource | VideoFrame | Size): Promise<string | null> {
    const external = isVideoFrame(frame);
    const { width, height } = sizeOf(frame);
    const { geometry, copied = null } = this.#resources ?? {};
    const isAllocated = geometry?.source.width === width && geometry.source.height === height;
    if (isAllocated && (external || copied !== null)) return null;
    const largest = this.#device.limits.maxTextureDimension2D;
    if (Math.max(width, height) > largest || Math.min(width, height) === 0)
      return `a picture of ${width} x ${height} does not fit into a texture: its sides must be 1 to ${largest} pixels`;
    try {
      await withErrorScopes(this.#device, () => this.#createResources({ width, height }, external));
      return null;
    } catch (error) {
      this.#free();
      return `the GPU has no memory for a picture of ${width} x ${height}: ${error}`;
    }
  }

  /**
   * Submits the preprocessing of a picture, after allocate(), into the input or into picture `index` of a
   * stack. A VideoFrame is imported as an external texture, and may be closed afterwards. Throws if it cannot
   * be imported.
   */
  write(frame: TextureSource | VideoFrame, index = 0): Geometry {
    if (this.#resources === null) throw internalError("write() before allocate()");
    const { geometry } = this.#resources;
    const { shape, count } = this.#input;
    const { pipeline, bindings } = this.#bindPicture(frame, this.#resources);
    const offset = (index * elementCount(shape)) / (count ?? 1);
    this.#device.queue.writeBuffer(this.#parameters, OFFSET_BYTE, Uint32Array.of(offset));
    const { width, height } = planeSize(this.#input.image);
    const encoder = this.#device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bindings);
    pass.dispatchWorkgroups(Math.ceil(width / GROUP), Math.ceil(height / GROUP));
    pass.end();
    this.#device.queue.submit([encoder.finish()]);
    return geometry;
  }

  /** Writes elements that were computed elsewhere into the input. */
  upload(data: TensorData["data"]): void {
    this.#device.queue.writeBuffer(this.buffer, 0, data);
  }

  /** Reads the input back. */
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

  /** Frees the memory on the GPU. */
  destroy(): void {
    this.#free();
    this.#parameters.destroy();
    this.buffer.destroy();
  }

  /** An external texture expires with the current task or its frame, so it is bound for each dispatch. */
  #bindPicture(frame: TextureSource | VideoFrame, { copied, buffers }: PictureResources): BoundPipeline {
    if (isVideoFrame(frame)) {
      if (this.#external === null) throw internalError("write() of a frame without a shader for frames");
      const picture = this.#device.importExternalTexture({ source: frame });
      return this.#bind(this.#external, picture, buffers);
    }
    if (copied === null) throw internalError("write() of a picture without a texture");
    uploadTexture(this.#device.queue, frame, copied.texture);
    return copied;
  }

  #createResources({ width, height }: Size, external: boolean): void {
    this.#free();
    const geometry = placePicture({ width, height }, this.#input.image);
    const { columns, rows, uniform } = shaderParameters(geometry, this.#input.image);
    this.#device.queue.writeBuffer(this.#parameters, 0, uniform);
    const buffers = [columns, rows].map((data) => this.#upload(data));
    const copied = external ? null : this.#texture({ width, height }, buffers);
    this.#resources = { geometry, copied, buffers };
  }

  #texture({ width, height }: Size, buffers: readonly GPUBuffer[]): CopiedTexture {
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
  ): BoundPipeline {
    const bound = [picture, ...[...buffers, this.#parameters, this.buffer].map((buffer) => ({ buffer }))];
    const bindings = this.#device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: bound.map((resource, binding) => ({ binding, resource })),
    });
    return { pipeline, bindings };
  }

  #upload(data: Uint32Array<ArrayBuffer>): GPUBuffer {
    const { STORAGE, COPY_DST } = GPUBufferUsage;
    const buffer = this.#device.createBuffer({ size: data.byteLength, usage: STORAGE | COPY_DST });
    this.#device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  }

  #free(): void {
    this.#resources?.copied?.texture.destroy();
    for (const buffer of this.#resources?.buffers ?? []) buffer.destroy();
    this.#resources = null;
  }
}

async function compile(device: GPUDevice, kind: TextureKind): Promise<GPUComputePipeline> {
  return withErrorScopes(device, () => {
    const module = device.createShaderModule({ code: shaderOf(kind) });
    return device.createComputePipelineAsync({
      layout: "auto",
      compute: { module, entryPoint: "preprocess" },
    });
  });
}
