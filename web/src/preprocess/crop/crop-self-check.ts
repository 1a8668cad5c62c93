// Self-check: whether the GPU cuts the same crops out of a picture as the CPU. One crop is inside, one partly outside, one rotated
// with padding in its last columns and rows.

import type { CropInput } from "../../manifest/manifest.js";
import { readPixels } from "../pixels.js";
import { testPicture } from "../test-picture.js";
import { DECODE_OPTIONS } from "../wrapped-picture.js";
import { cropOnCpu } from "./cpu-crop.js";
import type { GpuCrop } from "./gpu-crop.js";
import { type Crop, placeCrop, wholePicture } from "./place-crop.js";

/** The maximum difference of a pixel, in levels of 255. */
const LEVELS = 1;

/** Returns how the crops of the test picture differ on the GPU, null if they do not. */
export async function cropDifference(gpu: GpuCrop, input: CropInput): Promise<string | null> {
  const frame = await createImageBitmap(testPicture(), DECODE_OPTIONS);
  try {
    await gpu.setPicture(frame);
    const crops = testCrops(frame, input);
    const want = cropOnCpu(await readPixels(frame), input, crops);
    const { data } = await (await gpu.cut(crops)).read();
    const level = input.scale / Math.max(...input.std);
    const off = want.reduce(
      (worst, value, at) => Math.max(worst, Math.abs(value - Number(data[at] ?? Number.NaN))),
      0,
    );
    return off <= LEVELS * level
      ? null
      : `a pixel of a crop differs by ${(off / level).toFixed(1)} levels of 255`;
  } finally {
    frame.close();
  }
}

function testCrops(size: { width: number; height: number }, input: CropInput): Crop[] {
  const cropBox = wholePicture(size);
  const { width, height } = size;
  const boxes = [
    { x1: 0.2 * width, y1: 0.3 * height, x2: 0.6 * width, y2: 0.7 * height },
    { x1: 0.5 * width, y1: -0.4 * height, x2: 1.4 * width, y2: 0.5 * height },
  ];
  const straight = boxes.map((box) => placeCrop({ ...cropBox, box }, input));
  const turned = straight.slice(0, 1).map(({ toPicture: { xx, x0, yy, y0 }, columns, rows }) => ({
    cropBox,
    columns: Math.ceil(0.75 * columns),
    rows: Math.ceil(0.75 * rows),
    toPicture: { xx: 0.8 * xx, xy: -0.3 * yy, x0, yx: 0.3 * xx, yy: 0.8 * yy, y0 },
  }));
  return [...straight, ...turned];
}
