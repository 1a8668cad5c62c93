// Pictures that cross to the worker as VideoFrames: nobody copies their pixels on the way. Those of a bitmap are copied when it
// moves, and those of ImageData before, into memory that is new each time.

import { WebbuildError } from "../api/errors.js";
import { copyBytes, isSrgb, readOpaque, recycle } from "./frame-bytes.js";

type Source = ImageData | ImageBitmap | HTMLCanvasElement | OffscreenCanvas;

/** A picture's pixels as a frame: of ImageData the same bytes, of others as the browser holds them. */
export interface CarriedPicture {
  carrier: VideoFrame;
  of: "bytes" | "bitmap";
  width: number;
  height: number;
}

/** How every picture is decoded, on the main thread too. */
export const DECODE_OPTIONS: ImageBitmapOptions = {
  imageOrientation: "from-image",
  premultiplyAlpha: "none",
  colorSpaceConversion: "none",
};

export function isCarried(picture: object): picture is CarriedPicture {
  return "carrier" in picture;
}

/** Returns the carrier of a picture; null where this browser makes none, as of one that is too large, or of other colours. */
export function carry(source: Source): CarriedPicture | null {
  if (typeof VideoFrame !== "function") return null;
  const { width, height } = source;
  try {
    if (!(source instanceof ImageData)) {
      const carrier = new VideoFrame(source, { timestamp: 0 });
      if (isSrgb(carrier.colorSpace)) return { carrier, of: "bitmap", width, height };
      carrier.close();
      return null;
    }
    if (!(source.data instanceof Uint8ClampedArray)) return null;
    const layout = { format: "RGBA", codedWidth: width, codedHeight: height, timestamp: 0 } as const;
    return { carrier: new VideoFrame(source.data, layout), of: "bytes", width, height };
  } catch {
    return null;
  }
}

/**
 * Returns the picture. What is not opaque may have its colours multiplied by alpha: only a bitmap that is made for it has
 * them as they were.
 */
export async function uncarry({
  carrier,
  of,
  width,
  height,
}: CarriedPicture): Promise<ImageData | ImageBitmap> {
  try {
    const read = of === "bytes" ? readBytes : readOpaque;
    const data = await read(carrier, width, height);
    return data === null
      ? await createImageBitmap(carrier, DECODE_OPTIONS)
      : new ImageData(data, width, height);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const what = `the picture of ${width} x ${height} pixels could not be read in the worker: ${reason}`;
    throw new WebbuildError("unreadable-image", what, "give a smaller picture", { cause });
  }
}

async function readBytes(
  carrier: VideoFrame,
  width: number,
  height: number,
): Promise<Uint8ClampedArray<ArrayBuffer> | null> {
  return carrier.format === "RGBA" ? copyBytes(carrier, width, height) : null;
}

/** Opens what was carried for `work`, after which nobody has it any more. The carriers stay open. */
export async function withUncarried<P extends object, T>(
  pictures: readonly (P | CarriedPicture)[],
  work: (opened: readonly (P | ImageData | ImageBitmap)[]) => Promise<T>,
): Promise<T> {
  const own: (ImageData | ImageBitmap)[] = [];
  try {
    const opened: (P | ImageData | ImageBitmap)[] = [];
    for (const picture of pictures) {
      if (!isCarried(picture)) {
        opened.push(picture);
        continue;
      }
      const made = await uncarry(picture);
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
