// One object of a result as a PNG with alpha.

import type { ImageSegmentationResult, SegmentResult } from "../api/results.js";
import { foundObjects } from "./objects.js";

/**
 * A PNG of the picture's size that shows one object: transparent where the object is not, elsewhere the picture's
 * pixels, or white without a picture.
 *
 * @param index of the object in `segments` or `regions`.
 * @throws RangeError: there is no such object.
 */
export async function toPng(
  result: SegmentResult | ImageSegmentationResult,
  index: number,
  picture?: CanvasImageSource,
): Promise<Blob> {
  const inside = foundObjects(result)[index]?.inside;
  if (!inside) throw new RangeError(`no object ${index}: the result has ${foundObjects(result).length}`);
  const { width, height } = result;
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d");
  if (!context) throw new Error("the browser gives no 2D canvas");
  const mask = new ImageData(width, height);
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, at += 4) if (inside(x, y)) mask.data.fill(255, at, at + 4);
  context.putImageData(mask, 0, 0);
  if (picture) {
    context.globalCompositeOperation = "source-in";
    context.drawImage(picture, 0, 0, width, height);
  }
  return canvas.convertToBlob({ type: "image/png" });
}
