// Crops of a scene's picture for a stage: on the GPU where that cuts the same as the CPU, else on the CPU.

import type { TensorData } from "../../api/types.js";
import type { CropInput } from "../../manifest/manifest.js";
import type { GpuTensor } from "../../tensors/gpu-tensor.js";
import type { Pixels } from "../canvas-pixels.js";
import { textureSource } from "../gpu/upload-texture.js";
import { type Picture, readPixels } from "../pixels.js";
import { cropOnCpu } from "./cpu-crop.js";
import { cropDifference } from "./crop-self-check.js";
import { GpuCrop } from "./gpu-crop.js";
import type { Crop } from "./place-crop.js";

/** What cuts crops for an input on a device, and of which picture. One call after another: `last` is the latest. */
interface Cutter {
  gpu: GpuCrop;
  picture: Picture | null;
  last: Promise<unknown>;
}

/** By device and input; null where the GPU does not cut the same. They end with the device. */
const cutters = new WeakMap<GPUDevice, Map<string, Promise<Cutter | null>>>();
/** Pixels are read once for all crops of a picture. */
const read = new WeakMap<Picture, Promise<Pixels>>();
/** Those that have had a picture on the GPU. */
const holders = new WeakMap<Picture, Set<Cutter>>();

/** Returns the crops one after another; what lies on the GPU is the caller's to release. The picture stays open. */
export async function cropTensor(
  picture: Picture,
  input: CropInput,
  crops: readonly Crop[],
  device: GPUDevice | null,
): Promise<TensorData | GpuTensor> {
  const cutter = device === null || input.dtype !== "float32" ? null : await cutterOf(device, input);
  if (cutter !== null) {
    const cutting = cutter.last.then(() => cutOnGpu(cutter, picture, crops)).catch(() => null);
    cutter.last = cutting;
    const cut = await cutting;
    if (cut !== null) return cut;
  }
  const data = cropOnCpu(await pixelsOf(picture), input, crops);
  const dims = [crops.length, ...input.shape.slice(1)];
  return input.dtype === "uint8"
    ? { type: "uint8", dims, data: Uint8Array.from(data) }
    : { type: "float32", dims, data };
}

/** Frees what is held of a picture that no more crops are cut out of, after those that are asked for. */
export async function releaseCrops(picture: Picture): Promise<void> {
  read.delete(picture);
  const dropped = [...(holders.get(picture) ?? [])].map((cutter) => {
    const dropping = cutter.last.then(() => {
      if (cutter.picture !== picture) return;
      cutter.picture = null;
      cutter.gpu.drop();
    });
    cutter.last = dropping;
    return dropping;
  });
  holders.delete(picture);
  await Promise.all(dropped);
}

/** What could not be read is read again when it is asked for again. */
function pixelsOf(picture: Picture): Promise<Pixels> {
  const known = read.get(picture);
  if (known !== undefined) return known;
  const pixels = readPixels(picture);
  read.set(picture, pixels);
  pixels.catch(() => read.delete(picture));
  return pixels;
}

async function cutOnGpu(cutter: Cutter, picture: Picture, crops: readonly Crop[]): Promise<GpuTensor> {
  if (cutter.picture !== picture) {
    cutter.picture = null;
    const frame = await textureSource(picture);
    try {
      await cutter.gpu.take(frame);
      cutter.picture = picture;
      holders.set(picture, (holders.get(picture) ?? new Set()).add(cutter));
    } finally {
      if (frame !== picture && "close" in frame) frame.close();
    }
  }
  return cutter.gpu.cut(crops);
}

function cutterOf(device: GPUDevice, input: CropInput): Promise<Cutter | null> {
  const known = cutters.get(device) ?? new Map<string, Promise<Cutter | null>>();
  cutters.set(device, known);
  const { name: _name, classes: _classes, template: _template, ...recipe } = input;
  const key = JSON.stringify({ ...recipe, shape: input.shape.slice(1) });
  const found = known.get(key) ?? openCutter(device, input).catch(() => null);
  known.set(key, found);
  return found;
}

async function openCutter(device: GPUDevice, input: CropInput): Promise<Cutter | null> {
  const gpu = await GpuCrop.open(device, input);
  if ((await cropDifference(gpu, input)) === null) return { gpu, picture: null, last: Promise.resolve() };
  gpu.destroy();
  return null;
}
