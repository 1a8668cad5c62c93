// Imports VideoFrames as external textures, without a copy: only formats with the same result as on the CPU.

import type { ImageInput } from "../../manifest/manifest.js";
import { sizeOf } from "../canvas-pixels.js";
import { testPicture } from "../test-picture.js";
import type { GpuPreprocess } from "./gpu-preprocess.js";
import { differenceFromCpu } from "./preprocess-self-check.js";

/** The properties of a frame that decide how browsers convert it to RGB. */
type FrameFormat = Pick<VideoFrameBufferInit, "format" | "colorSpace">;

export class ExternalTextures {
  readonly #gpu: GpuPreprocess;
  readonly #input: ImageInput;
  /** Why no frame is imported, null if some may be. */
  readonly reason: string | null;
  readonly #verdicts = new Map<string, string | null>();

  constructor(gpu: GpuPreprocess, input: ImageInput, reason: string | null) {
    this.#gpu = gpu;
    this.#input = input;
    this.reason = reason;
  }

  /** Returns why the frame has to be copied, null if not. The check of a new format overwrites the input. */
  async refusal(frame: VideoFrame): Promise<string | null> {
    if (this.reason !== null) return this.reason;
    if (isStretched(frame)) return "its pixels are not square";
    const { format } = frame;
    if (format === null) return "the browser does not report its pixel format";
    const known = this.#verdicts.get(formatKey(frame));
    if (known !== undefined) return known;
    const kind = { format, colorSpace: frame.colorSpace.toJSON() };
    const verdict = await externalTextureRefusal(kind, this.#gpu, this.#input);
    this.#verdicts.set(formatKey(frame), verdict);
    return verdict;
  }

  /** Copies frames of this format from now on. */
  disable(frame: VideoFrame, reason: unknown): void {
    this.#verdicts.set(formatKey(frame), `the GPU did not accept a ${frame.format} frame: ${reason}`);
  }
}

/** Preprocesses a test frame on GPU and CPU. Returns why it cannot be an external texture, null if it can. */
export async function externalTextureRefusal(
  kind: FrameFormat,
  gpu: GpuPreprocess,
  input: ImageInput,
): Promise<string | null> {
  try {
    const { data, width, height } = testPicture();
    // The RGBA bytes are enough for a frame of any 8-bit format, and have all values next to each other.
    const frame = new VideoFrame(data, { ...kind, codedWidth: width, codedHeight: height, timestamp: 0 });
    try {
      const differs = await differenceFromCpu(frame, gpu, input);
      return differs && `the GPU preprocesses ${kind.format} differently from the CPU: ${differs}`;
    } finally {
      frame.close();
    }
  } catch (error) {
    return `this browser does not accept ${kind.format} as an external texture: ${error}`;
  }
}

function formatKey({ format, colorSpace }: VideoFrame): string {
  return JSON.stringify([format, colorSpace.toJSON()]);
}

function isStretched(frame: VideoFrame): boolean {
  const { width, height } = sizeOf(frame);
  const stored = frame.visibleRect;
  const same = stored?.width === width && stored.height === height;
  const turned = stored?.width === height && stored.height === width;
  return !same && !turned;
}
