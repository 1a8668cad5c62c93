// What a run feeds of its pictures: made on the GPU where that makes the same of them as the CPU, else on the CPU.

import { WebbuildError } from "../api/errors.js";
import type { FeedRoute } from "../api/results.js";
import type { TensorData } from "../api/types.js";
import type { Manifest } from "../manifest/manifest.js";
import type { AnyTensors, GpuTensor } from "../tensors/gpu-tensor.js";
import { preprocessOnCpu, requireSize } from "./cpu-preprocess.js";
import type { ExternalTextures } from "./gpu/external-textures.js";
import type { GpuPreprocess } from "./gpu/gpu-preprocess.js";
import { type TextureSource, textureSource } from "./gpu/upload-texture.js";
import { runInput } from "./image-input.js";
import type { Geometry } from "./letterbox.js";
import { isVideoFrame, type Picture, sizeOf } from "./pixels.js";

/** The input's name, its tensor, where it was made, and where each picture lies in its plane. */
export interface PreprocessedInput {
  name: string;
  tensor: TensorData | GpuTensor;
  geometry: Geometry;
  feed: FeedRoute;
}

/** The input on the GPU, and which VideoFrames are read there where they lie. */
export interface GpuPath {
  input: GpuPreprocess;
  frames: ExternalTextures;
}

export class Preprocessor {
  readonly #inputs: Manifest["inputs"];
  readonly #gpu: GpuPath | null;
  readonly #why: string;

  /** `why` says why it is the GPU, or why `gpu` is null. */
  constructor(inputs: Manifest["inputs"], gpu: GpuPath | null, why: string) {
    this.#inputs = inputs;
    this.#gpu = gpu;
    this.#why = why;
  }

  /** Where pictures go that the GPU does not refuse. */
  get defaultRoute(): FeedRoute {
    if (this.#gpu === null) return { path: "cpu", texture: null, why: this.#why };
    const { why } = this.#gpu.frames;
    const frames = why === null ? "VideoFrames are read where they lie" : `VideoFrames are copied: ${why}`;
    return { path: "gpu", texture: "copied", why: `${this.#why}; ${frames}` };
  }

  /** Whether a VideoFrame may be read where it lies. */
  get takesFrames(): boolean {
    return this.#gpu !== null && this.#gpu.frames.why === null;
  }

  /** The pictures stay open. */
  async preprocess(pictures: readonly Picture[]): Promise<PreprocessedInput> {
    const gpu = this.#gpu;
    if (gpu === null) return this.#preprocessOnCpu(pictures, this.#why);
    try {
      const preprocessed = await this.#preprocessOnGpu(gpu, pictures);
      return typeof preprocessed === "string" ? this.#preprocessOnCpu(pictures, preprocessed) : preprocessed;
    } catch (error) {
      if (error instanceof WebbuildError) throw error;
      return this.#preprocessOnCpu(pictures, `the GPU did not take the picture: ${error}`);
    }
  }

  /** Puts a tensor where the pictures' goes, so that a run is fed as those of pictures are. */
  upload(feeds: Record<string, TensorData>): AnyTensors {
    const gpu = this.#gpu;
    if (gpu === null) return feeds;
    const { name } = runInput(this.#inputs);
    const { [name]: given, ...others } = feeds;
    if (given === undefined) return feeds;
    gpu.input.upload(given.data);
    return { ...others, [name]: tensorOf(gpu.input, given.dims) };
  }

  release(): void {
    this.#gpu?.input.destroy();
  }

  async #preprocessOnCpu(pictures: readonly Picture[], why: string): Promise<PreprocessedInput> {
    return { ...(await preprocessOnCpu(this.#inputs, pictures)), feed: { path: "cpu", texture: null, why } };
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
    const feed: FeedRoute = { path: "gpu", texture: path.texture, why: path.why ?? this.#why };
    return { name, tensor: tensorOf(input, shape), geometry: geometry, feed };
  }
}

/** How a picture gets to the GPU, and why, where that is not why they all do. */
interface TexturePath {
  texture: "external" | "copied";
  why: string | null;
}

/** Asked of all pictures before the first is written: finding it out may overwrite the input. */
async function texturePath(picture: Picture, frames: ExternalTextures): Promise<TexturePath> {
  if (!isVideoFrame(picture)) return { texture: "copied", why: null };
  const why = await frames.refusal(picture);
  if (why !== null) return { texture: "copied", why: `the frame was copied: ${why}` };
  return { texture: "external", why: "the GPU makes the same of a frame where it lies as the CPU" };
}

function tensorOf(gpu: GpuPreprocess, shape: readonly number[]): GpuTensor {
  const dims = [...shape];
  const read = async (): Promise<TensorData> => ({ type: "float32", dims, data: await gpu.read() });
  return { type: "float32", dims, buffer: gpu.buffer, read, release: () => {} };
}

function close(frame: TextureSource | VideoFrame): void {
  if ("close" in frame) frame.close();
}
