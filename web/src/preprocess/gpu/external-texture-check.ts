// Self-check: whether this browser and GPU can import VideoFrames as external textures. It may lose the
// device, so it uses its own instead of the engine's.

import { createThrowawayDevice } from "../../gpu/gpu-device.js";
import type { ImageInput } from "../../manifest/manifest.js";
import { LIMITS, withLimit } from "../../worker/with-limit.js";
import { testPicture } from "../test-picture.js";
import { externalTextureRefusal } from "./external-textures.js";
import { GpuPreprocess } from "./gpu-preprocess.js";

/** Returns why they cannot be imported, null if they can. Never rejects. */
export async function checkExternalTextures(): Promise<string | null> {
  if (typeof VideoFrame !== "function") return "this browser has no VideoFrame";
  if (typeof GPUDevice !== "function" || !("importExternalTexture" in GPUDevice.prototype))
    return "this browser has no external textures";
  try {
    const device = await withLimit(createThrowawayDevice(), LIMITS.gpu, "a second device");
    const lost = device.lost.then(({ message }) => `it loses the GPU device: ${message}`);
    const tried = Promise.race([lost, checkOnDevice(device)]);
    return await withLimit(tried, LIMITS.gpu, "its trial").finally(() => device.destroy());
  } catch (error) {
    return `the check failed: ${error}`;
  }
}

async function checkOnDevice(device: GPUDevice): Promise<string | null> {
  const { width, height } = testPicture();
  const input = identityInput(width, height);
  const { name, shape } = input;
  const gpu = await GpuPreprocess.open(device, { name, shape, image: input, count: null }, true);
  try {
    return await externalTextureRefusal({ format: "RGBA" }, gpu, input);
  } finally {
    gpu.destroy();
  }
}

/** An input that leaves a picture of this size unchanged. */
function identityInput(width: number, height: number): ImageInput {
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
    letterbox: { mode: "stretch", anchor: "top-left", pad: 0, interpolation: "nearest" },
  };
}
