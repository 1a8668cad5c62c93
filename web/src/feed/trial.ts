// Whether this browser and GPU can read VideoFrames where they lie. Found out on a device of its own: where one is lost
// by it, it is not the engine's.

import { spareDevice } from "../gpu.js";
import type { ImageInput } from "../manifest.js";
import { everyPixel } from "./comparing.js";
import { refusalOf } from "./frames.js";
import { GpuFeed } from "./gpu-feed.js";

/** Returns why they cannot, null where they can. Never rejects. */
export async function trialOfFrames(): Promise<string | null> {
  if (typeof VideoFrame !== "function") return "this browser has no VideoFrame";
  if (typeof GPUDevice !== "function" || !("importExternalTexture" in GPUDevice.prototype))
    return "this browser has no external textures";
  try {
    const device = await spareDevice();
    const lost = device.lost.then(({ message }) => `it loses the GPU device: ${message}`);
    return await Promise.race([lost, triedOn(device)]).finally(() => device.destroy());
  } catch (error) {
    return `it could not be tried: ${error}`;
  }
}

async function triedOn(device: GPUDevice): Promise<string | null> {
  const { width, height } = everyPixel();
  const input = asItIs(width, height);
  const { name, shape } = input;
  const gpu = await GpuFeed.open(device, { name, shape, picture: input, count: null }, true);
  try {
    return await refusalOf({ format: "RGBA" }, gpu, input);
  } finally {
    gpu.destroy();
  }
}

/** The input that a picture of this size goes into unchanged. */
function asItIs(width: number, height: number): ImageInput {
  return {
    kind: "image",
    name: "picture",
    dtype: "float32",
    shape: [1, 3, height, width],
    layout: "nchw",
    color: "rgb",
    scale: 1 / 255,
    mean: [0, 0, 0],
    std: [1, 1, 1],
    letterbox: { mode: "stretch", anchor: "top-left", pad: 0, resampler: "nearest" },
  };
}
