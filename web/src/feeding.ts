// What a run feeds of its pictures: made on the GPU where that makes the same of them as the CPU, else on the CPU.

import type { TensorData } from "./api.js";
import { WebbuildError } from "./errors.js";
import { type Frame, frameOf } from "./feed/frame.js";
import type { Frames } from "./feed/frames.js";
import type { GpuFeed } from "./feed/gpu-feed.js";
import type { AnyTensors, GpuTensor } from "./gpu-tensor.js";
import type { Geometry } from "./letterbox.js";
import type { Manifest } from "./manifest.js";
import { picturedInput } from "./pictured.js";
import { isVideoFrame, type Picture, sizeOf } from "./pixels.js";
import { prepare, requireSize } from "./preparing.js";
import type { FeedRoute } from "./results.js";

/** The input's name, its tensor, where it was made, and where each picture lies in its plane. */
export interface Fed {
  name: string;
  tensor: TensorData | GpuTensor;
  geometry: Geometry;
  feed: FeedRoute;
}

/** The input on the GPU, and which VideoFrames are read there where they lie. */
export interface Gpu {
  input: GpuFeed;
  frames: Frames;
}

export class Feeder {
  readonly #inputs: Manifest["inputs"];
  readonly #gpu: Gpu | null;
  readonly #why: string;

  /** `why` says why it is the GPU, or why `gpu` is null. */
  constructor(inputs: Manifest["inputs"], gpu: Gpu | null, why: string) {
    this.#inputs = inputs;
    this.#gpu = gpu;
    this.#why = why;
  }

  /** Where pictures go that the GPU does not refuse. */
  get usual(): FeedRoute {
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
  async feed(pictures: readonly Picture[]): Promise<Fed> {
    const gpu = this.#gpu;
    if (gpu === null) return this.#onCpu(pictures, this.#why);
    try {
      const made = await this.#onGpu(gpu, pictures);
      return typeof made === "string" ? this.#onCpu(pictures, made) : made;
    } catch (error) {
      if (error instanceof WebbuildError) throw error;
      return this.#onCpu(pictures, `the GPU did not take the picture: ${error}`);
    }
  }

  /** Puts a tensor where the pictures' goes, so that a run is fed as those of pictures are. */
  fill(feeds: Record<string, TensorData>): AnyTensors {
    const gpu = this.#gpu;
    if (gpu === null) return feeds;
    const { name } = picturedInput(this.#inputs);
    const { [name]: given, ...others } = feeds;
    if (given === undefined) return feeds;
    gpu.input.fill(given.data);
    return { ...others, [name]: tensorOf(gpu.input, given.dims) };
  }

  release(): void {
    this.#gpu?.input.destroy();
  }

  async #onCpu(pictures: readonly Picture[], why: string): Promise<Fed> {
    return { ...(await prepare(this.#inputs, pictures)), feed: { path: "cpu", texture: null, why } };
  }

  /** Returns why the GPU does not take them, where it does not. */
  async #onGpu({ input, frames }: Gpu, pictures: readonly Picture[]): Promise<Fed | string> {
    const { name, shape } = picturedInput(this.#inputs);
    const ways: Way[] = [];
    for (const picture of pictures) ways.push(await wayOf(picture, frames));
    let placed: Geometry | null = null;
    for (const [index, picture] of pictures.entries()) {
      const frame = ways[index]?.texture === "external" ? (picture as VideoFrame) : await frameOf(picture);
      try {
        if (placed !== null) requireSize(sizeOf(frame), placed, index);
        const refused = await input.refusal(frame);
        if (refused !== null) return refused;
        placed = input.write(frame, index);
      } catch (error) {
        if (isVideoFrame(frame)) frames.refuse(frame, error);
        throw error;
      } finally {
        if (frame !== picture) close(frame);
      }
    }
    const way = ways.at(-1);
    if (placed === null || !way) throw new WebbuildError("wrong-picture", "no picture was given", "give one");
    const feed: FeedRoute = { path: "gpu", texture: way.texture, why: way.why ?? this.#why };
    return { name, tensor: tensorOf(input, shape), geometry: placed, feed };
  }
}

/** How a picture gets to the GPU, and why, where that is not why they all do. */
interface Way {
  texture: "external" | "copied";
  why: string | null;
}

/** Asked of all pictures before the first is written: finding it out may overwrite the input. */
async function wayOf(picture: Picture, frames: Frames): Promise<Way> {
  if (!isVideoFrame(picture)) return { texture: "copied", why: null };
  const why = await frames.refusal(picture);
  if (why !== null) return { texture: "copied", why: `the frame was copied: ${why}` };
  return { texture: "external", why: "the GPU makes the same of a frame where it lies as the CPU" };
}

function tensorOf(gpu: GpuFeed, shape: readonly number[]): GpuTensor {
  const dims = [...shape];
  const read = async (): Promise<TensorData> => ({ type: "float32", dims, data: await gpu.read() });
  return { type: "float32", dims, buffer: gpu.buffer, read, release: () => {} };
}

function close(frame: Frame | VideoFrame): void {
  if ("close" in frame) frame.close();
}
