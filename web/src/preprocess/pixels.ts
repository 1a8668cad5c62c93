// Reads a picture's pixels in the worker: upright, colour profiles ignored, alpha not premultiplied.

import { WebbuildError } from "../api/errors.js";
import { isVideoFrame, type Pixels, readByCanvas, sizeOf, tooLarge } from "./canvas-pixels.js";
import { recycle } from "./frame-bytes.js";
import { DECODE_OPTIONS, isWrapped, unwrap, type WrappedPicture, wrapInFrame } from "./wrapped-picture.js";
import { wrapsExactly } from "./wrapped-picture-self-check.js";

/** A picture in the worker. */
export type Picture = Blob | ImageBitmap | ImageData | VideoFrame;

/** A picture as it is sent to the worker: itself, or wrapped in a VideoFrame. */
export type PackedPicture = Picture | WrappedPicture;

/** Reads the picture, which stays open. */
export async function readPixels(picture: Picture): Promise<Pixels> {
  if (picture instanceof ImageData) return picture;
  if (picture instanceof ImageBitmap) return readBitmap(picture);
  if (!(picture instanceof Blob) && !hasChroma(picture)) return readByCanvas(picture);
  const frame = picture instanceof Blob ? await decodeBlob(picture) : drawVideoFrame(picture);
  try {
    return await readBitmap(frame);
  } finally {
    frame.close();
  }
}

/** Reads the picture for `work`, which must not keep the pixels: their memory is reused. */
export async function withPixels<T>(picture: Picture, work: (pixels: Pixels) => T): Promise<T> {
  const pixels = await readPixels(picture);
  const made = work(pixels);
  if (pixels !== picture) recycle(pixels);
  return made;
}

/** Reads the bytes from memory if the self-check found them the same as on a canvas, which is slower. */
async function readBitmap(bitmap: ImageBitmap): Promise<Pixels> {
  const wrapped = (await wrapsExactly()) ? wrapInFrame(bitmap) : null;
  if (wrapped === null) return readByCanvas(bitmap);
  try {
    const made = await unwrap(wrapped);
    if (made instanceof ImageData) return made;
    made.close();
    return readByCanvas(bitmap);
  } finally {
    wrapped.frame.close();
  }
}

/** Returns the parts of the pictures that can be transferred. A Blob is copied, which does not copy its bytes. */
export function transferableImages(pictures: readonly PackedPicture[]): Transferable[] {
  return pictures.flatMap((picture): Transferable[] => {
    if (picture instanceof Blob) return [];
    if (isWrapped(picture)) return [picture.frame];
    return picture instanceof ImageData ? [picture.data.buffer] : [picture];
  });
}

/** Frees the memory of the pictures that need it. */
export function closePictures(pictures: readonly PackedPicture[]): void {
  for (const picture of pictures) {
    const closable = isWrapped(picture) ? picture.frame : picture;
    if ("close" in closable) closable.close();
  }
}

/** Whether a value is a picture whose memory is freed only by close(). */
export function isOpenPicture(value: unknown): value is ImageBitmap | VideoFrame {
  return value instanceof ImageBitmap || isVideoFrame(Object(value));
}

/** Decodes the files among the pictures once for all steps of `work`. */
export async function withDecoded<T>(
  pictures: readonly Picture[],
  work: (decoded: readonly Picture[]) => Promise<T>,
): Promise<T> {
  const own: ImageBitmap[] = [];
  try {
    const decoded: Picture[] = [];
    for (const picture of pictures) {
      if (picture instanceof Blob) own.push(await decodeBlob(picture));
      decoded.push(picture instanceof Blob ? (own.at(-1) ?? picture) : picture);
    }
    return await work(decoded);
  } finally {
    closePictures(own);
  }
}

export async function decodeBlob(blob: Blob): Promise<ImageBitmap> {
  try {
    return await createImageBitmap(blob, DECODE_OPTIONS);
  } catch (cause) {
    const what = `this browser cannot decode a Blob of ${blob.size} bytes, type "${blob.type}", as a picture`;
    throw new WebbuildError("unreadable-image", what, "give a JPEG, PNG, WebP, AVIF or GIF file", {
      cause,
    });
  }
}

/**
 * Draws a VideoFrame on a canvas and returns its bitmap. createImageBitmap() ignores the frame's rotation,
 * and its colour space if it is not sRGB.
 */
export function drawVideoFrame(frame: VideoFrame): ImageBitmap {
  const { width, height } = sizeOf(frame);
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d");
  if (context === null) throw tooLarge(width, height);
  context.drawImage(frame, 0, 0, width, height);
  return canvas.transferToImageBitmap();
}

/** Returns the picture; a VideoFrame is drawn and closed, since one that is kept open stalls its video. */
export function drawnIfFrame<P extends Picture>(picture: P | VideoFrame): P | ImageBitmap {
  if (!isVideoFrame(picture)) return picture;
  try {
    return drawVideoFrame(picture);
  } finally {
    closePictures([picture]);
  }
}

/**
 * Whether the frame is YUV. Its colours differ between canvases on the GPU and on the CPU, so all frames use
 * the same kind.
 */
function hasChroma(frame: ImageBitmap | VideoFrame): frame is VideoFrame {
  return isVideoFrame(frame) && !/^(RGB|BGR)/.test(frame.format ?? "");
}
