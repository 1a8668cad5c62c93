// Preprocesses the pictures of a run: on the GPU if its result is the same as the CPU's, else on the CPU.

import { WebbuildError } from "../api/errors.js";
import type { PreprocessRoute, TensorData } from "../api/types.js";
import type { Manifest } from "../manifest/manifest.js";
import { type AnyTensors, type GpuTensor, isOnGpu } from "../tensors/gpu-tensor.js";
import { isVideoFrame, sizeOf } from "./canvas-pixels.js";
import { preprocessOnCpu, requireSize } from "./cpu-preprocess.js";
import type { ExternalTextures } from "./gpu/external-textures.js";
import type { GpuPreprocess } from "./gpu/gpu-preprocess.js";
import { type TextureSource, textureSource } from "./gpu/upload-texture.js";
import { runInput } from "./image-input.js";
import type { Geometry } from "./letterbox.js";
import type { Picture } from "./pixels.js";

/** The input's name, its tensor, the place of the picture in it, and whether the GPU or CPU computed it. */
export interface PreprocessedInput {
  name: string;
  tensor: TensorData | GpuTensor;
  geometry: Geometry;
  route: PreprocessRoute;
}

/** The input on the GPU, and the formats of VideoFrames that are imported there as external textures. */
interface GpuPath {
  input: GpuPreprocess;
  frames: ExternalTextures;
}

export class Preprocessor {
  readonly #inputs: Manifest["inputs"];
  readonly #gpu: GpuPath | null;
  readonly #reason: string;

  /** `reason` says why the GPU is used, or why `gpu` is null. */
  constructor(inputs: Manifest["inputs"], gpu: GpuPath | null, reason: string) {
    this.#inputs = inputs;
    this.#gpu = gpu;
    this.#reason = reason;
  }

  /** The route of pictures that the GPU accepts. */
  get defaultRoute(): PreprocessRoute {
    if (this.#gpu === null) return { path: "cpu", texture: null, reason: this.#reason };
    const { reason } = this.#gpu.frames;
    const frames =
      reason === null ? "VideoFrames are read without a copy" : `VideoFrames are copied: ${reason}`;
    return { path: "gpu", texture: "copied", reason: `${this.#reason}; ${frames}` };
  }

  /** Whether VideoFrames may be imported as external textures. */
  get takesFrames(): boolean {
    return this.#gpu !== null && this.#gpu.frames.reason === null;
  }

  /** Preprocesses the pictures. They stay open. */
  async preprocess(pictures: readonly Picture[]): Promise<PreprocessedInput> {
    const gpu = this.#gpu;
    if (gpu === null) return this.#preprocessOnCpu(pictures, this.#reason);
    try {
      const preprocessed = await this.#preprocessOnGpu(gpu, pictures);
      return typeof preprocessed === "string" ? this.#preprocessOnCpu(pictures, preprocessed) : preprocessed;
    } catch (error) {
      if (error instanceof WebbuildError) throw error;
      return this.#preprocessOnCpu(pictures, `the GPU did not accept the picture: ${error}`);
    }
  }

  /** Uploads the tensor of the picture input, so that the run reads it from the GPU, as after preprocess(). */
  upload(feeds: AnyTensors): AnyTensors {
    const gpu = this.#gpu;
    if (gpu === null) return feeds;
    const { name } = runInput(this.#inputs);
    const { [name]: given, ...others } = feeds;
    if (given === undefined || isOnGpu(given)) return feeds;
    gpu.input.upload(given.data);
    return { ...others, [name]: tensorOf(gpu.input, given.dims) };
  }

  release(): void {
    this.#gpu?.input.destroy();
  }

  async #preprocessOnCpu(pictures: readonly Picture[], reason: string): Promise<PreprocessedInput> {
    return {
      ...(await preprocessOnCpu(this.#inputs, pictures)),
      route: { path: "cpu", texture: null, reason },
    };
  }

  /** Returns the tensor; a string, the reason, if the GPU does not accept the pictures. */
  async #preprocessOnGpu(
    { input, frames }: GpuPath,
    pictures: readonly Picture[],
  ): Promise<PreprocessedInput | string> {
    const { name, shape } = runInput(this.#inputs);
    const paths: TexturePath[] = [];
    for (const picture of pictures) paths.push(await texturePath(picture, frames));
    let geometry: Geometry | null = null;
    for (const [index, picture] of pictures.entries()) {
      const frame =
        paths[index]?.texture === "external" ? (picture as VideoFrame) : await textureSource(picture);
      try {
        if (geometry !== null) requireSize(sizeOf(frame), geometry, index);
        const refused = await input.allocate(frame);
        if (refused !== null) return refused;
        geometry = input.write(frame, index);
      } catch (error) {
        if (isVideoFrame(frame)) frames.disable(frame, error);
        throw error;
      } finally {
        if (frame !== picture) close(frame);
      }
    }
    const path = paths.at(-1);
    if (geometry === null || !path)
      throw new WebbuildError("invalid-image", "no picture was given", "give one");
    const route: PreprocessRoute = {
      path: "gpu",
      texture: path.texture,
      reason: path.reason ?? this.#reason,
    };
    return { name, tensor: tensorOf(input, shape), geometry, route };
  }
}

/** The path of a picture to the GPU. `reason` is null for the reason of the whole preprocessor. */
interface TexturePath {
  texture: "external" | "copied";
  reason: string | null;
}

/** Call it for all pictures before the first write: the check of a new frame format overwrites the input. */
async function texturePath(picture: Picture, frames: ExternalTextures): Promise<TexturePath> {
  if (!isVideoFrame(picture)) return { texture: "copied", reason: null };
  const reason = await frames.refusal(picture);
  if (reason !== null) return { texture: "copied", reason: `the frame was copied: ${reason}` };
  return {
    texture: "external",
    reason: "the GPU reads frames without a copy, with the same result as the CPU",
  };
}

function tensorOf(gpu: GpuPreprocess, shape: readonly number[]): GpuTensor {
  const dims = [...shape];
  const read = async (): Promise<TensorData> => ({ type: "float32", dims, data: await gpu.read() });
  return { type: "float32", dims, buffer: gpu.buffer, read, copy: read, release: () => {} };
}

function close(frame: TextureSource | VideoFrame): void {
  if ("close" in frame) frame.close();
}
