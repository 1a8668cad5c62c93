// What a caller may give as a picture, into what can cross to the worker. Copies on the browser's own threads.

import type { ImageSource } from "./api.js";
import { WebbuildError } from "./errors.js";
import { DECODING, isVideoFrame, type Picture } from "./pixels.js";

type Moved = ImageBitmap | VideoFrame | ArrayBuffer;

/** A picture for the worker, and which parts of it move there instead of being copied. */
interface Parcel {
  picture: Picture;
  moved: Moved[];
}

/**
 * Packs each picture; a video's as a VideoFrame where that is wanted, which copies nothing, else as a bitmap. Where one
 * cannot be read, nothing of the others is left behind.
 */
export async function parcels(
  sources: readonly ImageSource[],
  asFrames: boolean,
): Promise<{ pictures: Picture[]; moved: Moved[] }> {
  const packed: Parcel[] = [];
  const moved = (): Moved[] => packed.flatMap((each) => each.moved);
  try {
    for (const source of sources) packed.push(await parcel(source, asFrames));
  } catch (error) {
    close(moved());
    throw error;
  }
  return { pictures: packed.map(({ picture }) => picture), moved: moved() };
}

/** Gives back the memory of what has some. */
export function close(moved: readonly Moved[]): void {
  for (const part of moved) if ("close" in part) part.close();
}

async function parcel(source: ImageSource, asFrames: boolean): Promise<Parcel> {
  if (source instanceof Blob) return { picture: source, moved: [] };
  if (source instanceof ImageData) return copyOf(source);
  if (isVideoFrame(source)) return moving(source.clone());
  if (!isDrawable(source)) throw unsupported(source);
  return moving(await snapshot(source, asFrames));
}

/** A copy that moves takes the main thread less time than one that postMessage makes. */
function copyOf({ data, width, height }: ImageData): Parcel {
  const picture = new ImageData(data.slice(), width, height);
  return { picture, moved: [picture.data.buffer] };
}

type Drawable = ImageBitmap | HTMLImageElement | HTMLVideoElement | HTMLCanvasElement | OffscreenCanvas;

async function snapshot(source: Drawable, asFrames: boolean): Promise<ImageBitmap | VideoFrame> {
  try {
    if (asFrames && source instanceof HTMLVideoElement) return new VideoFrame(source);
    if (source instanceof HTMLImageElement) await source.decode();
    return await createImageBitmap(source, DECODING);
  } catch (cause) {
    throw unreadable(source, cause);
  }
}

function moving(picture: ImageBitmap | VideoFrame): Parcel {
  return { picture, moved: [picture] };
}

function isDrawable(source: ImageSource): source is Drawable {
  const kinds = [ImageBitmap, HTMLImageElement, HTMLVideoElement, HTMLCanvasElement, OffscreenCanvas];
  return kinds.some((kind) => source instanceof kind);
}

function unreadable(source: Drawable, cause: unknown): WebbuildError {
  const kind = source.constructor.name;
  const why = cause instanceof Error ? cause.message : String(cause);
  const fix =
    source instanceof HTMLVideoElement
      ? "wait for the video's loadeddata event"
      : "wait until it has loaded; it must have a size and come from this origin or with CORS";
  return new WebbuildError("unreadable-picture", `this ${kind} has no picture to read: ${why}`, fix, {
    cause,
  });
}

function unsupported(source: unknown): WebbuildError {
  const got = source === null ? "null" : typeof source === "object" ? source.constructor.name : typeof source;
  const fix =
    "give a Blob, ImageBitmap, ImageData, VideoFrame, OffscreenCanvas, or an <img>, <video> or <canvas> element";
  return new WebbuildError("wrong-picture", `a picture was wanted, got ${got}`, fix);
}
