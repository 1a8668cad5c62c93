// What a run feeds of its pictures: made on the GPU where that makes the same of them as the CPU, else on the CPU.

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

/** The input's name, its tensor, where it was made, and where each picture lies in its plane. */
export interface PreprocessedInput {
  name: string;
  tensor: TensorData | GpuTensor;
  geometry: Geometry;
  route: PreprocessRoute;
}

/** The input on the GPU, and which VideoFrames are read there where they lie. */
interface GpuPath {
  input: GpuPreprocess;
  frames: ExternalTextures;
}

export class Preprocessor {
  readonly #inputs: Manifest["inputs"];
  readonly #gpu: GpuPath | null;
  readonly #reason: string;

  /** `reason` says why it is the GPU, or why `gpu` is null. */
  constructor(inputs: Manifest["inputs"], gpu: GpuPath | null, reason: string) {
    this.#inputs = inputs;
    this.#gpu = gpu;
    this.#reason = reason;
  }

  /** Where pictures go that the GPU does not refuse. */
  get defaultRoute(): PreprocessRoute {
    if (this.#gpu === null) return { path: "cpu", texture: null, reason: this.#reason };
    const { reason } = this.#gpu.frames;
    const frames =
      reason === null ? "VideoFrames are read where they lie" : `VideoFrames are copied: ${reason}`;
    return { path: "gpu", texture: "copied", reason: `${this.#reason}; ${frames}` };
  }

  /** Whether a VideoFrame may be read where it lies. */
  get takesFrames(): boolean {
    return this.#gpu !== null && this.#gpu.frames.reason === null;
  }

  /** The pictures stay open. */
  async preprocess(pictures: readonly Picture[]): Promise<PreprocessedInput> {
    const gpu = this.#gpu;
    if (gpu === null) return this.#preprocessOnCpu(pictures, this.#reason);
    try {
      const preprocessed = await this.#preprocessOnGpu(gpu, pictures);
      return typeof preprocessed === "string" ? this.#preprocessOnCpu(pictures, preprocessed) : preprocessed;
    } catch (error) {
      if (error instanceof WebbuildError) throw error;
      return this.#preprocessOnCpu(pictures, `the GPU did not take the picture: ${error}`);
    }
  }

  /** Puts a tensor where the pictures' goes, so that a run is fed as those of pictures are. */
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

  /** Returns why the GPU does not take them, where it does not. */
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
        const refused = await input.refusal(frame);
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

/** How a picture gets to the GPU, and why, where that is not why they all do. */
interface TexturePath {
  texture: "external" | "copied";
  reason: string | null;
}

/** Asked of all pictures before the first is written: finding it out may overwrite the input. */
async function texturePath(picture: Picture, frames: ExternalTextures): Promise<TexturePath> {
  if (!isVideoFrame(picture)) return { texture: "copied", reason: null };
  const reason = await frames.refusal(picture);
  if (reason !== null) return { texture: "copied", reason: `the frame was copied: ${reason}` };
  return { texture: "external", reason: "the GPU makes the same of a frame where it lies as the CPU" };
}

function tensorOf(gpu: GpuPreprocess, shape: readonly number[]): GpuTensor {
  const dims = [...shape];
  const read = async (): Promise<TensorData> => ({ type: "float32", dims, data: await gpu.read() });
  return { type: "float32", dims, buffer: gpu.buffer, read, copy: read, release: () => {} };
}

function close(frame: TextureSource | VideoFrame): void {
  if ("close" in frame) frame.close();
}
