// Cuts crops out of a scene's picture for a stage: on the GPU if its self-check agrees with the CPU, else on the CPU.

import type { TensorData } from "../../api/types.js";
import type { CropInput } from "../../manifest/manifest.js";
import type { GpuTensor } from "../../tensors/gpu-tensor.js";
import type { Pixels } from "../canvas-pixels.js";
import { textureSource } from "../gpu/upload-texture.js";
import { pictureTensor } from "../picture-tensor.js";
import { type Picture, readPixels } from "../pixels.js";
import { cropOnCpu } from "./cpu-crop.js";
import { cropDifference } from "./crop-self-check.js";
import { GpuCrop } from "./gpu-crop.js";
import type { Crop } from "./place-crop.js";

/** Cuts the crops of an input on a device. */
interface Cutter {
  gpu: GpuCrop;
  /** The uploaded picture. */
  picture: Picture | null;
  /** The last call; the next one waits for it. */
  last: Promise<unknown>;
}

/** By device and input; null where the self-check fails. They are freed with the device. */
const cutters = new WeakMap<GPUDevice, Map<string, Promise<Cutter | null>>>();
/** The pixels of pictures, read once for all crops. */
const pixelsByPicture = new WeakMap<Picture, Promise<Pixels>>();
/** The cutters that have uploaded a picture. */
const cuttersByPicture = new WeakMap<Picture, Set<Cutter>>();

/** Returns the crops as one tensor; the caller releases it if it is on the GPU. The picture stays open. */
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
  return pictureTensor([crops.length, ...input.shape.slice(1)], data, input.dtype);
}

/** Frees the pixels and textures of a picture, after the crops that are under way. */
export async function releaseCrops(picture: Picture): Promise<void> {
  pixelsByPicture.delete(picture);
  const dropped = [...(cuttersByPicture.get(picture) ?? [])].map((cutter) => {
    const dropping = cutter.last.then(() => {
      if (cutter.picture !== picture) return;
      cutter.picture = null;
      cutter.gpu.releasePicture();
    });
    cutter.last = dropping;
    return dropping;
  });
  cuttersByPicture.delete(picture);
  await Promise.all(dropped);
}

/** Reads the pixels once; after a failure, again. */
function pixelsOf(picture: Picture): Promise<Pixels> {
  const known = pixelsByPicture.get(picture);
  if (known !== undefined) return known;
  const pixels = readPixels(picture);
  pixelsByPicture.set(picture, pixels);
  pixels.catch(() => pixelsByPicture.delete(picture));
  return pixels;
}

async function cutOnGpu(cutter: Cutter, picture: Picture, crops: readonly Crop[]): Promise<GpuTensor> {
  if (cutter.picture !== picture) {
    cutter.picture = null;
    const frame = await textureSource(picture);
    try {
      await cutter.gpu.setPicture(frame);
      cutter.picture = picture;
      cuttersByPicture.set(picture, (cuttersByPicture.get(picture) ?? new Set()).add(cutter));
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
