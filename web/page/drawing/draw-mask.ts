// Draws a mask over the picture.

import type { Mask } from "../../src/index.js";
import { type Fit, toStage } from "./fit.js";

export function drawMask(
  context: CanvasRenderingContext2D,
  mask: Mask,
  picture: ImageBitmap,
  fit: Fit,
): void {
  const [x, y] = toStage(fit, mask.x, mask.y);
  context.save();
  context.translate(x, y);
  context.scale(fit.mirrored ? -fit.scale : fit.scale, fit.scale);
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, 0, 0, mask.width, mask.height);
  context.restore();
}
