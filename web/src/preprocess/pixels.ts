// A picture into bytes, in the worker: upright, colour profiles ignored, alpha not multiplied in.

import { WebbuildError } from "../api/errors.js";

/** What crosses into the worker. */
export type Picture = Blob | ImageBitmap | ImageData | VideoFrame;

/** RGBA, 8 bits each, rows from the top. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint8ClampedArray;
}

/** How every picture is decoded, on the main thread too. */
export const DECODE_OPTIONS: ImageBitmapOptions = {
  imageOrientation: "from-image",
  premultiplyAlpha: "none",
  colorSpaceConversion: "none",
};

/** Reads the picture, which stays open. */
export async function readPixels(picture: Picture): Promise<Pixels> {
  if (picture instanceof ImageData) return picture;
  if (!(picture instanceof Blob) && !hasChroma(picture)) return draw(picture);
  const frame = picture instanceof Blob ? await decodeBlob(picture) : drawVideoFrame(picture);
  try {
    return draw(frame);
  } finally {
    frame.close();
  }
}

/** What of the pictures can move between threads; the rest is copied, or is only a name for a file. */
export function transferableImages(pictures: readonly Picture[]): Transferable[] {
  return pictures.flatMap((picture): Transferable[] => {
    if (picture instanceof Blob) return [];
    return picture instanceof ImageData ? [picture.data.buffer] : [picture];
  });
}

/** Not every browser has VideoFrame. */
export function isVideoFrame(picture: object): picture is VideoFrame {
  return typeof VideoFrame === "function" && picture instanceof VideoFrame;
}

/** The size of the upright picture, which is how a VideoFrame is shown, whatever it is stored as. */
export function sizeOf(frame: VideoFrame | { width: number; height: number }): {
  width: number;
  height: number;
} {
  if (!isVideoFrame(frame)) return { width: frame.width, height: frame.height };
  return { width: frame.displayWidth, height: frame.displayHeight };
}

/** Frees the memory of the pictures that have some. */
export function closePictures(pictures: readonly Picture[]): void {
  for (const picture of pictures) if ("close" in picture) picture.close();
}

/** Whether it holds memory until it is closed. */
export function isOpenPicture(value: unknown): value is ImageBitmap | VideoFrame {
  return value instanceof ImageBitmap || isVideoFrame(Object(value));
}

/** Decodes the files among pictures, once for all that is done with them. */
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
    const what = `a Blob of ${blob.size} bytes, type "${blob.type}", is no picture this browser can decode`;
    throw new WebbuildError("unreadable-image", what, "give a JPEG, PNG, WebP, AVIF or GIF file", {
      cause,
    });
  }
}

/**
 * A VideoFrame as the browser's canvas has it. createImageBitmap() leaves out how it is turned, and what its colours mean
 * where they are none of sRGB.
 */
export function drawVideoFrame(frame: VideoFrame): ImageBitmap {
  const { width, height } = sizeOf(frame);
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d");
  if (context === null) throw tooLarge(width, height);
  context.drawImage(frame, 0, 0, width, height);
  return canvas.transferToImageBitmap();
}

/** What colours these are differs between canvases that the GPU draws and others: one kind is for everybody to read. */
function hasChroma(frame: ImageBitmap | VideoFrame): frame is VideoFrame {
  return isVideoFrame(frame) && !/^(RGB|BGR)/.test(frame.format ?? "");
}

/**
 * A canvas holds colours multiplied by alpha, and in 8 bits they do not survive it: what is not opaque is drawn
 * again in 16. (A browser without float16 canvases ignores the wish and is off by at most one level.)
 */
function draw(frame: ImageBitmap | VideoFrame): Pixels {
  const pixels = drawIn(frame, "unorm8");
  return isOpaque(pixels) ? pixels : drawIn(frame, "float16");
}

function drawIn(frame: ImageBitmap | VideoFrame, colorType: "unorm8" | "float16"): Pixels {
  const { width, height } = sizeOf(frame);
  const canvas = new OffscreenCanvas(width, height);
  const settings = { willReadFrequently: true, colorType };
  const context = canvas.getContext("2d", settings);
  if (context === null) throw tooLarge(width, height);
  context.drawImage(frame, 0, 0, width, height);
  return context.getImageData(0, 0, width, height);
}

function isOpaque({ data }: Pixels): boolean {
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return false;
  return true;
}

function tooLarge(width: number, height: number): WebbuildError {
  const what = `a picture of ${width} x ${height} pixels is more than this browser can draw`;
  return new WebbuildError("unreadable-image", what, "give a smaller picture");
}
