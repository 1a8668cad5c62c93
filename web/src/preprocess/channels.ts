// The channels of an image input: their order, and the normalization of levels from 0 to 255.

import type { CropInput, ImageInput } from "../manifest/manifest.js";
import { roundHalfEven } from "./rounding.js";

/** An input that is preprocessed from a picture. */
type PictureInput = ImageInput | CropInput;

/** The weights of red, green and blue in grey. */
export const LUMA = [0.299, 0.587, 0.114] as const;

/** The channel of the picture for each channel of the input. */
const ORDERS = { rgb: [0, 1, 2], bgr: [2, 1, 0], gray: [0], rgba: [0, 1, 2, 3] } as const;
/** The index of alpha. It is not read from the picture, but filled with OPAQUE. */
export const ALPHA = 3;
const OPAQUE = 255;

/** Returns the number of channels of the input. */
export function channelCount({ color }: Pick<PictureInput, "color">): number {
  return ORDERS[color].length;
}

/** Returns the level, 0 to 255, of a channel of the input for a colour, before normalization. */
export function orderedLevel(
  { color }: Pick<PictureInput, "color">,
  channel: number,
  rgb: readonly [number, number, number],
): number {
  if (color === "gray") return rgb[0] * LUMA[0] + rgb[1] * LUMA[1] + rgb[2] * LUMA[2];
  const order: readonly number[] = ORDERS[color];
  const levels: readonly number[] = rgb;
  return levels[order[channel] ?? ALPHA] ?? OPAQUE;
}

export function channelOrder({ color }: ImageInput): readonly number[] {
  return ORDERS[color];
}

/** Returns the function from a level of a channel to an element of the tensor: (level * scale - mean) / std. */
export function normalizer(
  { scale, mean, std, dtype }: Pick<PictureInput, "scale" | "mean" | "std" | "dtype">,
  channel: number,
): (value: number) => number {
  const offset = mean[channel] ?? 0;
  const divisor = std[channel] ?? 1;
  if (dtype === "float32") return (value) => (value * scale - offset) / divisor;
  return (value) =>
    Math.max(0, Math.min(255, roundHalfEven(Math.fround((value * scale - offset) / divisor))));
}

/** Returns the RGB levels of the padding; null if it is the mean, which is 0 in the tensor. */
export function padColor({ pad }: ImageInput["letterbox"]): readonly [number, number, number] | null {
  if (pad === "mean") return null;
  const [red = 0, green = 0, blue = 0] = typeof pad === "number" ? [pad, pad, pad] : pad;
  return [red, green, blue];
}
