// Cuts crops out of a picture into a tensor, on the CPU in float64, as webbuild/preprocess/crop.py.

import type { CropInput } from "../../manifest/manifest.js";
import type { Pixels } from "../canvas-pixels.js";
import { channelCount, normalizer, orderedLevel } from "../channels.js";
import { planeSize } from "../letterbox.js";
import { applyAffine } from "./affine.js";
import type { Crop } from "./place-crop.js";

/** Returns the crops one after another, each in the order of the input's shape. */
export function cropOnCpu(
  pixels: Pixels,
  input: CropInput,
  crops: readonly Crop[],
): Float32Array<ArrayBuffer> {
  const { width, height } = planeSize(input);
  const channels = channelCount(input);
  const size = width * height * channels;
  const tensor = new Float32Array(size * crops.length);
  const planar = input.layout === "nchw";
  const [channelStep, pixelStep] = planar ? [width * height, 1] : [1, channels];
  const normal = Array.from({ length: channels }, (_, channel) => normalizer(input, channel));
  for (const [index, { toPicture, columns, rows }] of crops.entries()) {
    for (let row = 0, at = index * size; row < height; row++) {
      for (let column = 0; column < width; column++, at += pixelStep) {
        const { x, y } = applyAffine(toPicture, column, row);
        const color: Color =
          column < columns && row < rows
            ? sample(pixels, x, y, input.pad)
            : [input.pad, input.pad, input.pad];
        for (const [channel, convert] of normal.entries())
          tensor[at + channel * channelStep] = convert(orderedLevel(input, channel, color));
      }
    }
  }
  return tensor;
}

type Color = [red: number, green: number, blue: number];

/** Bilinear, with the operations in the order of webbuild/preprocess/crop.py. */
function sample(pixels: Pixels, x: number, y: number, pad: number): Color {
  const left = Math.floor(x);
  const top = Math.floor(y);
  const across = x - left;
  const down = y - top;
  const corners = [pixel(pixels, left, top, pad), pixel(pixels, left + 1, top, pad)] as const;
  const below = [pixel(pixels, left, top + 1, pad), pixel(pixels, left + 1, top + 1, pad)] as const;
  const mixed = (channel: 0 | 1 | 2): number => {
    const upper = corners[0][channel] * (1 - across) + corners[1][channel] * across;
    const lower = below[0][channel] * (1 - across) + below[1][channel] * across;
    return upper * (1 - down) + lower * down;
  };
  return [mixed(0), mixed(1), mixed(2)];
}

/** A pixel over white; `pad` outside of the picture, and where x or y is NaN. */
function pixel({ width, height, data }: Pixels, x: number, y: number, pad: number): Color {
  if (!(x >= 0 && x < width && y >= 0 && y < height)) return [pad, pad, pad];
  const at = (y * width + x) * 4;
  const alpha = (data[at + 3] ?? 0) / 255;
  const white = 255 * (1 - alpha);
  return [
    (data[at] ?? 0) * alpha + white,
    (data[at + 1] ?? 0) * alpha + white,
    (data[at + 2] ?? 0) * alpha + white,
  ];
}
