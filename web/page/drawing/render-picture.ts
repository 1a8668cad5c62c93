// Renders the picture with its drawing at full size, to be saved. Works in bands of rows with pauses, so that the page stays
// responsive.

import { inSlices } from "../../src/export/slices.js";
import type { Size } from "./fit.js";

/** Pixels to draw between two pauses. */
const PIXELS_PER_SLICE = 1_000_000;

interface DrawnPicture {
  picture: CanvasImageSource;
  size: Size;
  mirrored: boolean;
  /** Draws the result in pixels of the picture. */
  draw(context: CanvasRenderingContext2D): void;
}

export async function renderPicture({
  picture,
  size,
  mirrored,
  draw,
}: DrawnPicture): Promise<HTMLCanvasElement | null> {
  const { width, height } = size;
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (!context) return null;
  await inSlices(height, Math.max(1, Math.floor(PIXELS_PER_SLICE / width)), (top, end) => {
    context.save();
    context.beginPath();
    context.rect(0, top, width, end - top);
    context.clip();
    context.save();
    if (mirrored) context.setTransform(-1, 0, 0, 1, width, 0);
    context.drawImage(picture, 0, 0, width, height);
    context.restore();
    draw(context);
    context.restore();
  });
  return canvas;
}
