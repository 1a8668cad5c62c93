// Preprocesses pictures into the input tensor on the CPU.

import { WebbuildError } from "../api/errors.js";
import type { TensorData } from "../api/types.js";
import type { CropInput, ImageInput, Manifest } from "../manifest/manifest.js";
import { cropOnCpu } from "./crop/cpu-crop.js";
import { placeCrop, wholePicture } from "./crop/place-crop.js";
import { runInput } from "./image-input.js";
import { type Geometry, letterbox, placePicture, planeSize } from "./letterbox.js";
import { pictureTensor } from "./picture-tensor.js";
import { type Picture, withPixels } from "./pixels.js";

/** The input's name, its tensor, and the place of the picture in it. */
export interface CpuPreprocessedInput {
  name: string;
  tensor: TensorData;
  geometry: Geometry;
}

/**
 * Preprocesses a picture or a stack; a stack's pictures one after another, so that memory has the pixels of
 * one. They stay open.
 */
export async function preprocessOnCpu(
  inputs: Manifest["inputs"],
  pictures: readonly Picture[],
): Promise<CpuPreprocessedInput> {
  const { name, shape, image: input, count, crop } = runInput(inputs);
  const [first, ...rest] = pictures;
  if (first === undefined) throw new WebbuildError("invalid-image", "no picture was given", "give one");
  if (crop !== undefined) {
    const { geometry, tensor } = await cropWhole(first, crop);
    return { name, tensor: pictureTensor([...shape], tensor, input.dtype), geometry };
  }
  const { geometry, tensor } = await preprocessImage(first, input);
  if (count === null) return { name, tensor: pictureTensor([...shape], tensor, input.dtype), geometry };
  const data = new Float32Array(tensor.length * count);
  data.set(tensor);
  for (const [index, picture] of rest.entries()) {
    await withPixels(picture, (pixels) => {
      requireSize(pixels, geometry, index + 1);
      data.set(letterbox(pixels, input, geometry), (index + 1) * tensor.length);
    });
  }
  return { name, tensor: pictureTensor([...shape], data, input.dtype), geometry };
}

async function cropWhole(
  picture: Picture,
  input: CropInput,
): Promise<{ geometry: Geometry; tensor: Float32Array<ArrayBuffer> }> {
  return withPixels(picture, (pixels) => {
    const source = { width: pixels.width, height: pixels.height };
    const crops = [placeCrop(wholePicture(source), input)];
    return {
      geometry: { source, left: 0, top: 0, ...planeSize(input), crops },
      tensor: cropOnCpu(pixels, input, crops),
    };
  });
}

async function preprocessImage(
  picture: Picture,
  input: ImageInput,
): Promise<{ geometry: Geometry; tensor: Float32Array<ArrayBuffer> }> {
  return withPixels(picture, (pixels) => {
    const geometry = placePicture({ width: pixels.width, height: pixels.height }, input);
    return { geometry, tensor: letterbox(pixels, input, geometry) };
  });
}

/** Throws if the picture `index` of a stack has another size than the first. */
export function requireSize(
  { width, height }: Geometry["source"],
  { source }: Geometry,
  index: number,
): void {
  if (width === source.width && height === source.height) return;
  const first = `${source.width} x ${source.height}`;
  const what = `picture ${index + 1} of the stack is ${width} x ${height}, the first is ${first}`;
  throw new WebbuildError("invalid-image", what, "give pictures of one scene, all of one size");
}
