// One object of a result, or the foreground of a matte, as a PNG with alpha.

import type {
  EverythingResult,
  ImageSegmentationResult,
  MaskGenerationResult,
  MatteResult,
  SegmentResult,
} from "../api/types.js";
import { foundObjects } from "./objects.js";
import type { PixelTest } from "./rle.js";
import { inSlices, pause } from "./slices.js";

/** The maximum number of pixels drawn at a time. */
const BAND_PIXELS = 500_000;

type MaskedResult = SegmentResult | ImageSegmentationResult | MaskGenerationResult | EverythingResult;

/** Returns a PNG of a cutout, on the run's background. Call it before the cutout is closed. */
export async function toPng(result: MatteResult): Promise<Blob>;
/**
 * Returns a PNG of the picture's size that shows one object. It is transparent outside of the object; inside
 * it has the picture's pixels, or white without a picture.
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
  else await drawObject(context, result, index, picture);
  return canvas.convertToBlob({ type: "image/png" });
}

async function drawObject(
  context: OffscreenCanvasRenderingContext2D,
  result: MaskedResult,
  index: number,
  picture: CanvasImageSource | undefined,
): Promise<void> {
  const objects = foundObjects(result);
  const inside = objects[index]?.inside;
  if (!inside) throw new RangeError(`no object ${index}: the result has ${objects.length}`);
  const { width, height } = result;
  // A canvas allocates memory when it is first drawn on; for a large picture that takes as long as a slice.
  context.putImageData(new ImageData(1, 1), 0, 0);
  await pause();
  await inSlices(height, Math.max(1, Math.floor(BAND_PIXELS / width)), (top, end) => {
    const band = { top, width, height: end - top };
    context.putImageData(maskBand(inside, band), 0, top);
    if (picture) paintBand(context, picture, band, height);
  });
}

interface Band {
  top: number;
  width: number;
  height: number;
}

/** White where the object is, transparent elsewhere. */
function maskBand(inside: PixelTest, { top, width, height }: Band): ImageData {
  const mask = new ImageData(width, height);
  const pixels = new Uint32Array(mask.data.buffer);
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, at += 1) if (inside(x, top + y)) pixels[at] = 0xffffffff;
  return mask;
}

/** Replaces the drawn pixels of a band by the picture's. */
function paintBand(
  context: OffscreenCanvasRenderingContext2D,
  picture: CanvasImageSource,
  band: Band,
  height: number,
): void {
  context.save();
  context.beginPath();
  context.rect(0, band.top, band.width, band.height);
  context.clip();
  context.globalCompositeOperation = "source-in";
  context.drawImage(picture, 0, 0, band.width, height);
  context.restore();
}
