// Cuts crops out of a picture into a tensor on the GPU. The picture is uploaded once; each batch of crops is one dispatch.

import { internalError } from "../../api/errors.js";
import type { TensorData } from "../../api/types.js";
import { withErrorScopes } from "../../gpu/error-scopes.js";
import type { CropInput } from "../../manifest/manifest.js";
import { elementCount } from "../../tensors/element-count.js";
import type { GpuTensor } from "../../tensors/gpu-tensor.js";
import { type TextureSource, uploadTexture } from "../gpu/upload-texture.js";
import { planeSize } from "../letterbox.js";
import { cropParameters, cropPlaces } from "./crop-parameters.js";
import { BINDINGS, GROUP, SHADER } from "./crop-shader.js";
import type { Crop } from "./place-crop.js";

export class GpuCrop {
  readonly #device: GPUDevice;
  readonly #input: CropInput;
  readonly #pipeline: GPUComputePipeline;
  readonly #parameters: GPUBuffer;
  #texture: GPUTexture | null = null;

  private constructor(device: GPUDevice, input: CropInput, pipeline: GPUComputePipeline) {
    this.#device = device;
    this.#input = input;
    this.#pipeline = pipeline;
    this.#parameters = uploaded(device, GPUBufferUsage.UNIFORM, cropParameters(input));
  }

  /** Compiles the shader. Rejects if the device refuses it. */
  static async open(device: GPUDevice, input: CropInput): Promise<GpuCrop> {
    return withErrorScopes(device, () => {
      const module = device.createShaderModule({ code: SHADER });
      const compute = { module, entryPoint: "cut" };
      const pipeline = device.createComputePipeline({ layout: "auto", compute });
      return new GpuCrop(device, input, pipeline);
    });
  }

  /** Uploads the picture for the next crops. Rejects if the GPU is out of memory. */
  async setPicture(frame: TextureSource): Promise<void> {
    const { width, height } = frame;
    const { TEXTURE_BINDING, COPY_DST, RENDER_ATTACHMENT } = GPUTextureUsage;
    const usage = TEXTURE_BINDING | COPY_DST | RENDER_ATTACHMENT;
    this.releasePicture();
    this.#texture = await withErrorScopes(this.#device, () => {
      const texture = this.#device.createTexture({ size: [width, height], format: "rgba8unorm", usage });
      uploadTexture(this.#device.queue, frame, texture);
      return texture;
    });
  }

  /** Cuts crops out of the picture, into a tensor that the caller releases. */
  async cut(crops: readonly Crop[]): Promise<GpuTensor> {
    const texture = this.#texture;
    if (texture === null) throw internalError("crops of a picture that was not uploaded");
    const device = this.#device;
    const { width, height } = planeSize(this.#input);
    const dims = [crops.length, ...this.#input.shape.slice(1)];
    const size = elementCount(dims) * Float32Array.BYTES_PER_ELEMENT;
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    const buffer = await withErrorScopes(device, () => {
      const tensor = device.createBuffer({ size, usage: STORAGE | COPY_SRC | COPY_DST });
      const places = uploaded(device, STORAGE, cropPlaces(crops));
      const bound = { crops: places, parameters: this.#parameters, tensor };
      const buffers = Object.entries(bound).map(([name, each]) => ({
        binding: BINDINGS[name as keyof typeof bound],
        resource: { buffer: each },
      }));
      const entries = [{ binding: BINDINGS.picture, resource: texture.createView() }, ...buffers];
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      pass.setPipeline(this.#pipeline);
      pass.setBindGroup(0, device.createBindGroup({ layout: this.#pipeline.getBindGroupLayout(0), entries }));
      pass.dispatchWorkgroups(Math.ceil(width / GROUP), Math.ceil(height / GROUP), crops.length);
      pass.end();
      device.queue.submit([encoder.finish()]);
      places.destroy();
      return tensor;
    });
    return tensorOf(device, buffer, dims);
  }

  releasePicture(): void {
    this.#texture?.destroy();
    this.#texture = null;
  }

  /** Frees the memory on the GPU. */
  destroy(): void {
    this.releasePicture();
    this.#parameters.destroy();
  }
}

function tensorOf(device: GPUDevice, buffer: GPUBuffer, dims: number[]): GpuTensor {
  const copy = async (): Promise<TensorData> => {
    const { MAP_READ, COPY_DST } = GPUBufferUsage;
    const readback = device.createBuffer({ size: buffer.size, usage: MAP_READ | COPY_DST });
    try {
      const encoder = device.createCommandEncoder();
      encoder.copyBufferToBuffer(buffer, 0, readback, 0, buffer.size);
      device.queue.submit([encoder.finish()]);
      await readback.mapAsync(GPUMapMode.READ);
      return { type: "float32", dims, data: new Float32Array(readback.getMappedRange().slice(0)) };
    } finally {
      readback.destroy();
    }
  };
  const release = (): void => buffer.destroy();
  const read = async (): Promise<TensorData> => {
    const data = await copy();
    release();
    return data;
  };
  return { type: "float32", dims, buffer, read, copy, release };
}

function uploaded(
  device: GPUDevice,
  usage: GPUBufferUsageFlags,
  data: Uint32Array<ArrayBuffer> | Float32Array<ArrayBuffer>,
): GPUBuffer {
  const buffer = device.createBuffer({ size: data.byteLength, usage: usage | GPUBufferUsage.COPY_DST });
  device.queue.writeBuffer(buffer, 0, data);
  return buffer;
}
