// Packs a caller's pictures into objects that can be transferred to the worker.

import { errorMessage, WebbuildError } from "../api/errors.js";
import type { ImageSource } from "../api/types.js";
import { isVideoFrame } from "./canvas-pixels.js";
import { classNameOf, isBlob } from "./class-name.js";
import { decodeBlob, type PackedPicture, type Picture } from "./pixels.js";
import { DECODE_OPTIONS, wrapInFrame } from "./wrapped-picture.js";

type TransferredImage = ImageBitmap | VideoFrame | ArrayBuffer;

/** A picture for the worker, and the parts of it that are transferred instead of copied. */
interface PackedImage {
  picture: PackedPicture;
  transferables: TransferredImage[];
}

export interface Packing {
  /** A <video> is packed as a VideoFrame, without a copy; else as a bitmap. */
  asFrames: boolean;
  /** Files are decoded on the page, if their sizes are needed there; else in the worker. */
  decodesFiles: boolean;
  /** Pixels are wrapped in VideoFrames. Only if the self-check in wrapped-picture-self-check.ts passed. */
  wraps: boolean;
}

interface PackedImages<P> {
  pictures: P[];
  transferables: TransferredImage[];
}

/**
 * Packs all pictures as they are now: a canvas or a video may change right after the call. If one cannot be
 * read, the others are freed.
 */
export async function packImages(
  sources: readonly ImageSource[],
  packing: Packing & { wraps: false },
): Promise<PackedImages<Picture>>;
export async function packImages(
  sources: readonly ImageSource[],
  packing: Packing,
): Promise<PackedImages<PackedPicture>>;
export async function packImages(
  sources: readonly ImageSource[],
  packing: Packing,
): Promise<PackedImages<PackedPicture>> {
  const settled = await Promise.allSettled(sources.map((source) => packImage(source, packing)));
  const packed = settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const transferables = packed.flatMap((each) => each.transferables);
  const failed = settled.find((each) => each.status === "rejected");
  if (failed === undefined) return { pictures: packed.map(({ picture }) => picture), transferables };
  closeImages(transferables);
  throw failed.reason;
}

/** Closes the images whose memory is freed only by close(). */
export function closeImages(images: readonly TransferredImage[]): void {
  for (const part of images) if ("close" in part) part.close();
}

async function packImage(source: ImageSource, packing: Packing): Promise<PackedImage> {
  if (isBlob(source))
    return packing.decodesFiles
      ? transferred(await decodeBlob(source))
      : { picture: ownBlob(source), transferables: [] };
  try {
    if (isImageData(source)) return wrapped(packing, source) ?? copyImageData(source);
    if (isVideoFrame(source)) return transferred(source.clone());
    if (isDrawable(source)) return await captureImage(source, packing);
  } catch (cause) {
    throw unreadablePicture(source, cause);
  }
  throw unsupportedPicture(source);
}

/** Rethrows the error of a call. A DataCloneError means that a picture is of another origin, and may not be read. */
export function rethrowOtherOrigin(error: unknown): never {
  if (error instanceof DOMException && error.name === "DataCloneError") throw otherOrigin(error);
  throw error;
}

/** Returns the Blob as one of this realm: a Blob of an iframe is not an instance of this page's class. */
function ownBlob(source: Blob): Blob {
  return source instanceof Blob ? source : new Blob([source], { type: (source as Blob).type });
}

/** Copies and transfers the data: that takes the main thread less time than the copy of postMessage(). */
function copyImageData({ data, width, height }: ImageData): PackedImage {
  const picture = new ImageData(data.slice(), width, height);
  return { picture, transferables: [picture.data.buffer] };
}

/** Whether a value is of a class that a picture may have. */
export function isImageSource(value: unknown): value is ImageSource {
  if (typeof value !== "object" || value === null) return false;
  return isBlob(value) || isImageData(value) || isVideoFrame(value) || isDrawable(value);
}

const DRAWABLE = [
  "ImageBitmap",
  "HTMLImageElement",
  "HTMLVideoElement",
  "HTMLCanvasElement",
  "OffscreenCanvas",
] as const;

/** How to fix an unreadable picture, for classes that have no loading state. */
const FIXES: Readonly<Record<string, string>> = {
  VideoFrame: "give the frame before close() is called on it",
  ImageBitmap: "give the bitmap before close() is called on it, and before it is transferred",
  ImageData: "give an ImageData of 8 bits a channel that was not transferred",
};

type Drawable = ImageBitmap | HTMLImageElement | HTMLVideoElement | HTMLCanvasElement | OffscreenCanvas;

async function captureImage(source: Drawable, packing: Packing): Promise<PackedImage> {
  if (packing.asFrames && isA("HTMLVideoElement", source))
    return transferred(new VideoFrame(source as HTMLVideoElement));
  const direct = holdsPixels(source) ? wrapped(packing, source) : null;
  if (direct !== null) return direct;
  // A loaded <img> is read at once: decode() rejects if the page shows another picture in it meanwhile.
  if (isA("HTMLImageElement", source) && !(source as HTMLImageElement).complete)
    await (source as HTMLImageElement).decode();
  const bitmap = await createImageBitmap(source, DECODE_OPTIONS);
  const packed = wrapped(packing, bitmap);
  if (packed === null) return transferred(bitmap);
  bitmap.close();
  return packed;
}

function wrapped({ wraps }: Packing, source: Parameters<typeof wrapInFrame>[0]): PackedImage | null {
  const picture = wraps ? wrapInFrame(source) : null;
  return picture && { picture, transferables: [picture.frame] };
}

/** Whether the source has decoded pixels. */
function holdsPixels(source: Drawable): source is ImageBitmap | HTMLCanvasElement | OffscreenCanvas {
  return !isA("HTMLImageElement", source) && !isA("HTMLVideoElement", source);
}

function transferred(picture: ImageBitmap | VideoFrame): PackedImage {
  return { picture, transferables: [picture] };
}

function isImageData(source: object): source is ImageData {
  return classNameOf(source) === "ImageData";
}

function isDrawable(source: object): source is Drawable {
  return DRAWABLE.some((kind) => isA(kind, source));
}

function isA(kind: (typeof DRAWABLE)[number], source: object): boolean {
  return classNameOf(source) === kind;
}

function unreadablePicture(source: object, cause: unknown): WebbuildError {
  if (cause instanceof DOMException && cause.name === "SecurityError") return otherOrigin(cause);
  const kind = source.constructor.name;
  const reason = errorMessage(cause);
  const fix = isA("HTMLVideoElement", source)
    ? "wait for the video's loadeddata event"
    : (FIXES[kind] ?? "wait until it has loaded; it must have a size and come from this origin or with CORS");
  return new WebbuildError("unreadable-image", `this ${kind} has no readable picture: ${reason}`, fix, {
    cause,
  });
}

function otherOrigin(cause: unknown): WebbuildError {
  const what = "the picture is from another origin, so the browser does not let this page read it";
  const fix =
    'set crossorigin="anonymous" on the <img> or <video> before its src, and let its host send ' +
    "Access-Control-Allow-Origin; or serve it from this origin. A canvas with such a picture on it is not readable either";
  return new WebbuildError("unreadable-image", what, fix, { cause });
}

function unsupportedPicture(source: unknown): WebbuildError {
  const kind = Object(source).constructor;
  const got =
    typeof source === "object" ? (source === null ? "null" : (kind?.name ?? "an object")) : typeof source;
  const fix =
    "give a Blob, ImageBitmap, ImageData, VideoFrame, OffscreenCanvas, or an <img>, <video> or <canvas> element";
  return new WebbuildError("invalid-image", `expected a picture, got ${got}`, fix);
}
