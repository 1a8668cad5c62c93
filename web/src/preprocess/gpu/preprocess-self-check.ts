// Whether the GPU makes the same of a picture as the CPU: one of every kind of pixel is made both ways.

import type { ImageInput } from "../../manifest/manifest.js";
import { letterbox } from "../letterbox.js";
import { readPixels } from "../pixels.js";
import type { GpuPreprocess } from "./gpu-preprocess.js";

/** Levels of 255 by which a pixel may differ. */
const LEVELS = 1;

/** Small, of odd sides, every colour and alpha in it, the upper half opaque. */
export function testPicture(): ImageData {
  const picture = new ImageData(61, 47);
  const { data } = picture;
  for (let at = 0, seed = 1; at < data.length; at++) {
    seed = (seed * 48271) % 2147483647;
    data[at] = at % 4 === 3 && at < data.length / 2 ? 255 : seed % 256;
  }
  return picture;
}

/** Returns how the frame differs on the GPU, null where it does not. Overwrites the input. */
export async function differenceFromCpu(
  frame: ImageBitmap | VideoFrame,
  gpu: GpuPreprocess,
  input: ImageInput,
): Promise<string | null> {
  const refused = await gpu.refusal(frame);
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
