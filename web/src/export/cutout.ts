// One object of a result, or what is in front, as a PNG with alpha.

import type {
  EverythingResult,
  ImageSegmentationResult,
  MaskGenerationResult,
  MatteResult,
  SegmentResult,
} from "../api/types.js";
import { foundObjects } from "./objects.js";

type MaskedResult = SegmentResult | ImageSegmentationResult | MaskGenerationResult | EverythingResult;

/** A PNG of a cutout, on the background that it was asked for. Call it before the cutout is closed. */
export async function toPng(result: MatteResult): Promise<Blob>;
/**
 * A PNG of the picture's size that shows one object: transparent where the object is not, elsewhere the picture's
 * pixels, or white without a picture.
 *
 * @param index of the object in `segments`, `regions` or `masks`.
 * @throws RangeError: there is no such object.
 */
export async function toPng(result: MaskedResult, index: number, picture?: CanvasImageSource): Promise<Blob>;
export async function toPng(
  result: MatteResult | MaskedResult,
  index = 0,
  picture?: CanvasImageSource,
): Promise<Blob> {
  const { width, height } = result;
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d");
  if (!context) throw new Error("the browser gives no 2D canvas");
  if ("cutout" in result) context.drawImage(result.cutout, 0, 0);
  else drawObject(context, result, index, picture);
  return canvas.convertToBlob({ type: "image/png" });
}

function drawObject(
  context: OffscreenCanvasRenderingContext2D,
  result: MaskedResult,
  index: number,
  picture: CanvasImageSource | undefined,
): void {
  const objects = foundObjects(result);
  const inside = objects[index]?.inside;
  if (!inside) throw new RangeError(`no object ${index}: the result has ${objects.length}`);
  const { width, height } = result;
  const mask = new ImageData(width, height);
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, at += 4) if (inside(x, y)) mask.data.fill(255, at, at + 4);
  context.putImageData(mask, 0, 0);
  if (!picture) return;
  context.globalCompositeOperation = "source-in";
  context.drawImage(picture, 0, 0, width, height);
}
