// What a run feeds of its pictures: made on the GPU where that makes the same of them as the CPU, else on the CPU.

import type { TensorData } from "./api.js";
import { WebbuildError } from "./errors.js";
import { type Frame, frameOf } from "./feed/frame.js";
import type { GpuFeed } from "./feed/gpu-feed.js";
import type { AnyTensors, GpuTensor } from "./gpu-tensor.js";
import type { Geometry } from "./letterbox.js";
import type { Manifest } from "./manifest.js";
import { picturedInput } from "./pictured.js";
import type { Picture } from "./pixels.js";
import { prepare, requireSize } from "./preparing.js";
import type { Route } from "./results.js";

/** The input's name, its tensor, where it was made, and where each picture lies in its plane. */
export interface Fed {
  name: string;
  tensor: TensorData | GpuTensor;
  geometry: Geometry;
  feed: Route;
}

export class Feeder {
  readonly #inputs: Manifest["inputs"];
  readonly #gpu: GpuFeed | null;
  /** Where pictures go that the GPU does not refuse. */
  readonly usual: Route;

  /** `why` says why it is the GPU, or why `gpu` is null. */
  constructor(inputs: Manifest["inputs"], gpu: GpuFeed | null, why: string) {
    this.#inputs = inputs;
    this.#gpu = gpu;
    this.usual = { path: gpu === null ? "cpu" : "gpu", why };
  }

  /** The pictures stay open. */
  async feed(pictures: readonly Picture[]): Promise<Fed> {
    const gpu = this.#gpu;
    if (gpu === null) return this.#onCpu(pictures, this.usual.why);
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
    gpu.fill(given.data);
    return { ...others, [name]: tensorOf(gpu, given.dims) };
  }

  release(): void {
    this.#gpu?.destroy();
  }

  async #onCpu(pictures: readonly Picture[], why: string): Promise<Fed> {
    return { ...(await prepare(this.#inputs, pictures)), feed: { path: "cpu", why } };
  }

  /** Returns why the GPU does not take them, where it does not. */
  async #onGpu(gpu: GpuFeed, pictures: readonly Picture[]): Promise<Fed | string> {
    const { name, shape } = picturedInput(this.#inputs);
    let placed: Geometry | null = null;
    for (const [index, picture] of pictures.entries()) {
      const frame = await frameOf(picture);
      try {
        if (placed !== null) requireSize(frame, placed, index);
        const refused = await gpu.refusal(frame);
        if (refused !== null) return refused;
        placed = gpu.write(frame, index);
      } finally {
        if (frame !== picture) close(frame);
      }
    }
    if (placed === null) throw new WebbuildError("wrong-picture", "no picture was given", "give one");
    return { name, tensor: tensorOf(gpu, shape), geometry: placed, feed: this.usual };
  }
}

function tensorOf(gpu: GpuFeed, shape: readonly number[]): GpuTensor {
  const dims = [...shape];
  const read = async (): Promise<TensorData> => ({ type: "float32", dims, data: await gpu.read() });
  return { type: "float32", dims, buffer: gpu.buffer, read, release: () => {} };
}

function close(frame: Frame): void {
  if ("close" in frame) frame.close();
}
