// What the shader of crops is told: the input, and where each crop lies in the picture.

import type { CropInput } from "../../manifest/manifest.js";
import { channelsOf, planeSize } from "../letterbox.js";
import type { Crop } from "./place-crop.js";

/** Colours are 0 to 1 on the GPU, where the manifest counts to 255. */
const LEVELS = 255;
/** What the shader calls an order of channels. */
const COLORS = { rgb: 0, bgr: 1, gray: 2, rgba: 3 } as const;
/** Words of the struct Crop. */
const CROP_WORDS = 10;
/** Farther away than any picture is wide. */
const FAR = 2 ** 24;

/** The struct Parameters. */
export function cropParameters(input: CropInput): Uint32Array<ArrayBuffer> {
  const { width, height } = planeSize(input);
  const planar = input.layout === "nchw";
  const channels = channelsOf(input);
  const words = new Uint32Array(16);
  words.set([width, height, planar ? width * height : 1, planar ? 1 : channels]);
  words.set([width * height * channels, COLORS[input.color]], 4);
  const floats = new Float32Array(words.buffer);
  floats.set([input.pad / LEVELS, input.scale * LEVELS], 6);
  floats.set(four(input.mean, 0), 8);
  floats.set(four(input.std, 1), 12);
  return words;
}

/** The array of the struct Crop. */
export function cropPlaces(crops: readonly Crop[]): Float32Array<ArrayBuffer> {
  const floats = new Float32Array(crops.length * CROP_WORDS);
  const words = new Int32Array(floats.buffer);
  for (const [index, { toPicture, columns, rows }] of crops.entries()) {
    const { xx, xy, yx, yy } = toPicture;
    const [left, top] = [within(toPicture.x0), within(toPicture.y0)];
    const [x, y] = [Math.floor(left), Math.floor(top)];
    floats.set([xx, yx, xy, yy, left - x, top - y], index * CROP_WORDS);
    words.set([x, y, columns, rows], index * CROP_WORDS + 6);
  }
  return floats;
}

/** A place that is no number is beyond the picture, as on the CPU. */
function within(place: number): number {
  return Number.isNaN(place) ? -FAR : Math.min(Math.max(place, -FAR), FAR);
}

function four(values: readonly number[], otherwise: number): number[] {
  return [0, 1, 2, 3].map((channel) => values[channel] ?? otherwise);
}
