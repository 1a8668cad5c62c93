// Self-check: whether the GPU preprocesses a picture to the same tensor as the CPU.

import type { ImageInput } from "../../manifest/manifest.js";
import { letterbox } from "../letterbox.js";
import { readPixels } from "../pixels.js";
import type { GpuPreprocess } from "./gpu-preprocess.js";

/** The maximum difference of a pixel, in levels of 255. */
const LEVELS = 1;

/** Returns how the frame differs on the GPU, null if it does not. Overwrites the input. */
export async function differenceFromCpu(
  frame: ImageBitmap | VideoFrame,
  gpu: GpuPreprocess,
  input: ImageInput,
): Promise<string | null> {
  const refused = await gpu.allocate(frame);
  if (refused !== null) return refused;
  const geometry = gpu.write(frame);
  const want = letterbox(await readPixels(frame), input, geometry);
  const got = await gpu.read();
  const level = input.scale / Math.max(...input.std);
  const off = want.reduce(
    (worst, value, at) => Math.max(worst, Math.abs(value - (got[at] ?? Number.NaN))),
    0,
  );
  return off <= LEVELS * level ? null : `a pixel differs by ${(off / level).toFixed(1)} levels of 255`;
}
