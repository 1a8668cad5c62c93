// Which VideoFrames the GPU reads where they lie: those of a kind that it makes the same of as the CPU.

import type { ImageInput } from "../../manifest/manifest.js";
import { sizeOf } from "../canvas-pixels.js";
import { testPicture } from "../test-picture.js";
import type { GpuPreprocess } from "./gpu-preprocess.js";
import { differenceFromCpu } from "./preprocess-self-check.js";

/** What browsers go by when they make colours of a frame's numbers. */
type FrameFormat = Pick<VideoFrameBufferInit, "format" | "colorSpace">;

export class ExternalTextures {
  readonly #gpu: GpuPreprocess;
  readonly #input: ImageInput;
  /** Why none are, null where some may be. */
  readonly reason: string | null;
  readonly #verdicts = new Map<string, string | null>();

  constructor(gpu: GpuPreprocess, input: ImageInput, reason: string | null) {
    this.#gpu = gpu;
    this.#input = input;
    this.reason = reason;
  }

  /** Returns why the frame has to be copied, null where it need not. One of a new kind makes it overwrite the input. */
  async refusal(frame: VideoFrame): Promise<string | null> {
    if (this.reason !== null) return this.reason;
    if (isStretched(frame)) return "its pixels are no squares";
    const { format } = frame;
    if (format === null) return "the browser does not say how its pixels are stored";
    const known = this.#verdicts.get(formatKey(frame));
    if (known !== undefined) return known;
    const kind = { format, colorSpace: frame.colorSpace.toJSON() };
    const verdict = await externalTextureRefusal(kind, this.#gpu, this.#input);
    this.#verdicts.set(formatKey(frame), verdict);
    return verdict;
  }

  /** Has those of its kind copied from here on. */
  disable(frame: VideoFrame, reason: unknown): void {
    this.#verdicts.set(formatKey(frame), `the GPU did not take a ${frame.format} frame: ${reason}`);
  }
}

/** Makes a frame of this kind both ways. Returns why it cannot be read where it lies, null where it can. */
export async function externalTextureRefusal(
  kind: FrameFormat,
  gpu: GpuPreprocess,
  input: ImageInput,
): Promise<string | null> {
  try {
    const { data, width, height } = testPicture();
    // The bytes of RGBA are enough for every format of 8 bits: of any, all values come, and side by side.
    const frame = new VideoFrame(data, { ...kind, codedWidth: width, codedHeight: height, timestamp: 0 });
    try {
      const differs = await differenceFromCpu(frame, gpu, input);
      return differs && `the GPU does not make the same of ${kind.format} as the CPU: ${differs}`;
    } finally {
      frame.close();
    }
  } catch (error) {
    return `this browser does not take ${kind.format} as an external texture: ${error}`;
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
