// The buffers of the crop shader: the uniform parameters of the input, and the place of each crop in the picture.

import type { CropInput } from "../../manifest/manifest.js";
import { channelCount } from "../channels.js";
import { planeSize } from "../letterbox.js";
import type { Crop } from "./place-crop.js";

/** Levels are 0 to 255 in the manifest and 0 to 1 on the GPU. */
const LEVELS = 255;
/** The shader's numbers for the orders of channels. */
const COLORS = { rgb: 0, bgr: 1, gray: 2, rgba: 3 } as const;
/** The size of the struct Crop in words. */
const CROP_WORDS = 10;
/** A position beyond the edge of any picture. */
const FAR = 2 ** 24;

/** Returns the struct Parameters. */
export function cropParameters(input: CropInput): Uint32Array<ArrayBuffer> {
  const { width, height } = planeSize(input);
  const planar = input.layout === "nchw";
  const channels = channelCount(input);
  const words = new Uint32Array(16);
  words.set([width, height, planar ? width * height : 1, planar ? 1 : channels]);
  words.set([width * height * channels, COLORS[input.color]], 4);
  const floats = new Float32Array(words.buffer);
  floats.set([input.pad / LEVELS, input.scale * LEVELS], 6);
  floats.set(four(input.mean, 0), 8);
  floats.set(four(input.std, 1), 12);
  return words;
}

/** Returns an array of the struct Crop. */
export function cropPlaces(crops: readonly Crop[]): Float32Array<ArrayBuffer> {
  const floats = new Float32Array(crops.length * CROP_WORDS);
  const words = new Int32Array(floats.buffer);
  for (const [index, { toPicture, columns, rows }] of crops.entries()) {
    const { xx, xy, yx, yy } = toPicture;
    const [left, top] = [bounded(toPicture.x0), bounded(toPicture.y0)];
    const [x, y] = [Math.floor(left), Math.floor(top)];
    floats.set([xx, yx, xy, yy, left - x, top - y], index * CROP_WORDS);
    words.set([x, y, columns, rows], index * CROP_WORDS + 6);
  }
  return floats;
}

/** Clamps a position to the range of int32. NaN is outside of the picture, as on the CPU. */
function bounded(place: number): number {
  return Number.isNaN(place) ? -FAR : Math.min(Math.max(place, -FAR), FAR);
}

function four(values: readonly number[], otherwise: number): number[] {
  return [0, 1, 2, 3].map((channel) => values[channel] ?? otherwise);
}
