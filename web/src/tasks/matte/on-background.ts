// Draws a cutout on a background: a colour, another picture, or the source picture blurred.

import { WebbuildError } from "../../api/errors.js";
import type { Size } from "../../preprocess/letterbox.js";
import { blurBehind, shrunk } from "./blur.js";

/** A picture that can be drawn, and its size. */
export interface DrawablePicture {
  image: CanvasImageSource;
  size: Size;
}

/** A background that can be drawn; for "blur" with the source picture. */
export type DrawableBackground =
  | { kind: "color"; color: string }
  | { kind: "picture" | "blur"; picture: DrawablePicture };

/** Returns the cutout on its background, opaque. `alpha` is the cutout's alpha, pixel by pixel. */
export function onBackground(
  background: DrawableBackground,
  cutout: ImageBitmap,
  alpha: Uint8Array,
): ImageBitmap {
  const { width, height } = cutout;
  const { canvas, context } = canvasOf({ width, height });
  context.fillStyle = background.kind === "color" ? background.color : "#ffffff";
  context.fillRect(0, 0, width, height);
  if (background.kind === "picture") cover(context, background.picture, { width, height });
  if (background.kind === "blur") {
    const image = blurred(background.picture, alpha, { width, height });
    cover(context, { image, size: image }, { width, height });
  }
  context.drawImage(cutout, 0, 0);
  return canvas.transferToImageBitmap();
}

/** Draws a picture of any size so that it covers the canvas, centred. */
function cover(
  context: OffscreenCanvasRenderingContext2D,
  { image, size }: DrawablePicture,
  { width, height }: Size,
): void {
  const gain = Math.max(width / size.width, height / size.height);
  const [across, down] = [size.width * gain, size.height * gain];
  context.imageSmoothingQuality = "high";
  context.drawImage(image, (width - across) / 2, (height - down) / 2, across, down);
}

/** Returns the picture, small and blurred, without its foreground, which would glow around the outline. */
function blurred({ image }: DrawablePicture, alpha: Uint8Array, size: Size): OffscreenCanvas {
  const small = shrunk(size);
  const { canvas, context } = canvasOf(small);
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, small.width, small.height);
  const drawn = context.getImageData(0, 0, small.width, small.height);
  context.putImageData(blurBehind(drawn, alpha, size), 0, 0);
  return canvas;
}

function canvasOf({ width, height }: Size): {
  canvas: OffscreenCanvas;
  context: OffscreenCanvasRenderingContext2D;
} {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d");
  if (context !== null) return { canvas, context };
  const what = `a picture of ${width} x ${height} pixels is more than this browser can draw`;
  throw new WebbuildError("unreadable-image", what, "give a smaller picture");
}
