// Chooses the input size for a picture, if a model is packed for several.

import { WebbuildError } from "../api/errors.js";
import type { PictureSize } from "../api/types.js";
import { sameSize } from "../manifest/variants.js";

/**
 * Returns the size with the least waste: lost pixels of the picture plus padding pixels of the input. With
 * gain = min(W / w, H / h), a picture of w x h fills w h gain² of the W x H pixels; at most its own w h
 * pixels are kept.
 */
export function fittingSize(sizes: readonly PictureSize[], width: number, height: number): PictureSize {
  const wasted = ([columns, rows]: PictureSize): number => {
    const gain = Math.min(columns / width, rows / height);
    const kept = width * height * Math.min(gain ** 2, 1);
    return width * height - kept + (columns * rows - kept);
  };
  return sizes.reduce((best, size) => (wasted(size) < wasted(best) ? size : best));
}

/** Returns the narrowest size that a line of text fits into at the input's height, else the widest. */
export function fittingLine(sizes: readonly PictureSize[], width: number, height: number): PictureSize {
  const rising = [...sizes].sort(([one], [other]) => one - other);
  return rising.find((size) => holdsLine(size, [width, height])) ?? rising.at(-1) ?? [width, height];
}

/** Whether a line fits into an input at its height. */
export function holdsLine([columns, rows]: PictureSize, [width, height]: PictureSize): boolean {
  return Math.ceil((rows * width) / height) <= columns;
}

/** Returns the size of the `size` option, null without one. Throws "invalid-option" for a size that the model does not have. */
export function requestedSize(sizes: readonly PictureSize[], option: unknown): PictureSize | null {
  if (option === undefined) return null;
  const pair: unknown[] = Array.isArray(option) ? option : [option, option];
  const found = sizes.find((size) => pair.length === 2 && sameSize(size, pair as unknown as PictureSize));
  if (found !== undefined) return found;
  const choices = sizes.map((size) => `[${size.join(", ")}]`).join(" or ");
  const fix =
    choices === ""
      ? "leave size out: the model takes no picture"
      : `give ${choices}, or leave size out for the best`;
  const what = `size: the model is not packed for ${JSON.stringify(option) ?? String(option)}`;
  throw new WebbuildError("invalid-option", what, fix);
}
