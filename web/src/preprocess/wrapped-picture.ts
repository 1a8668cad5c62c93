// Wraps pictures in VideoFrames, so that their transfer to the worker does not copy the pixels. Transferring
// a bitmap copies it, and ImageData is copied before its transfer, each time into new memory.

import { errorMessage, WebbuildError } from "../api/errors.js";
import { copyBytes, isSrgb, readOpaque, recycle } from "./frame-bytes.js";

type Source = ImageData | ImageBitmap | HTMLCanvasElement | OffscreenCanvas;

/**
 * A picture in a VideoFrame. `of` is its content: the bytes of an ImageData, or a bitmap in the browser's
 * format.
 */
export interface WrappedPicture {
  frame: VideoFrame;
  of: "bytes" | "bitmap";
  width: number;
  height: number;
}

/** The options for decoding every picture, on the page and in the worker. */
export const DECODE_OPTIONS: ImageBitmapOptions = {
  imageOrientation: "from-image",
  premultiplyAlpha: "none",
  colorSpaceConversion: "none",
};

export function isWrapped(picture: object): picture is WrappedPicture {
  return "frame" in picture;
}

/** Wraps a picture. Returns null if the browser cannot: it is too large, or its colours are not sRGB. */
export function wrapInFrame(source: Source): WrappedPicture | null {
  if (typeof VideoFrame !== "function") return null;
  const { width, height } = source;
  try {
    if (!(source instanceof ImageData)) {
      const frame = new VideoFrame(source, { timestamp: 0 });
      if (isSrgb(frame.colorSpace)) return { frame, of: "bitmap", width, height };
      frame.close();
      return null;
    }
    if (!(source.data instanceof Uint8ClampedArray)) return null;
    const layout = { format: "RGBA", codedWidth: width, codedHeight: height, timestamp: 0 } as const;
    return { frame: new VideoFrame(source.data, layout), of: "bytes", width, height };
  } catch {
    return null;
  }
}

/**
 * Unwraps a picture. The frame of a picture with alpha may have its colours premultiplied by alpha. So it is
 * decoded into a bitmap, which has the original colours.
 */
export async function unwrap({ frame, of, width, height }: WrappedPicture): Promise<ImageData | ImageBitmap> {
  try {
    const read = of === "bytes" ? readBytes : readOpaque;
    const data = await read(frame, width, height);
    return data === null
      ? await createImageBitmap(frame, DECODE_OPTIONS)
      : new ImageData(data, width, height);
  } catch (cause) {
    const reason = errorMessage(cause);
    const what = `the picture of ${width} x ${height} pixels could not be read in the worker: ${reason}`;
    throw new WebbuildError("unreadable-image", what, "give a smaller picture", { cause });
  }
}

async function readBytes(
  frame: VideoFrame,
  width: number,
  height: number,
): Promise<Uint8ClampedArray<ArrayBuffer> | null> {
  return frame.format === "RGBA" ? copyBytes(frame, width, height) : null;
}

/** Unwraps pictures for `work`, and frees them when it ends. The frames stay open. */
export async function withUnwrapped<P extends object, T>(
  pictures: readonly (P | WrappedPicture)[],
  work: (opened: readonly (P | ImageData | ImageBitmap)[]) => Promise<T>,
): Promise<T> {
  const own: (ImageData | ImageBitmap)[] = [];
  try {
    const opened: (P | ImageData | ImageBitmap)[] = [];
    for (const picture of pictures) {
      if (!isWrapped(picture)) {
        opened.push(picture);
        continue;
      }
      const made = await unwrap(picture);
      own.push(made);
      opened.push(made);
    }
    return await work(opened);
  } finally {
    for (const made of own) {
      if (made instanceof ImageData) recycle(made);
      else made.close();
    }
  }
}
