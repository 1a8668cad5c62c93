// The bytes of a VideoFrame as they lie in memory: a canvas would draw it, and read that back.

import type { Pixels } from "./pixels.js";

/** What is kept for the next picture of the same size: memory that is new to the process costs more than the copy into it. */
let spare: ArrayBuffer | null = null;
/** Bytes above which nothing is kept: more than any camera's frame, less than a photo. */
const MOST = 1 << 24;

/** Gives back the memory of pixels that nobody reads any more. */
export function recycle({ data: { buffer } }: Pick<Pixels, "data">): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength <= MOST) spare = buffer;
}

/** Returns the bytes of a frame of `width` by `height` words, null where they are laid out in another way. */
export async function copyWords(
  frame: VideoFrame,
  width: number,
  height: number,
): Promise<Uint32Array<ArrayBuffer> | null> {
  const { visibleRect } = frame;
  const size = width * height * 4;
  if (visibleRect?.width !== width || visibleRect.height !== height || frame.allocationSize() !== size)
    return null;
  const buffer = spare?.byteLength === size ? spare : new ArrayBuffer(size);
  spare = null;
  await frame.copyTo(buffer);
  return new Uint32Array(buffer);
}

/** Returns the pixels of a bitmap's frame; null where they are not all opaque, or laid out in another way. */
export async function readOpaque(
  frame: VideoFrame,
  width: number,
  height: number,
): Promise<Uint8ClampedArray<ArrayBuffer> | null> {
  const [, order] = /^(RGB|BGR)[AX]$/.exec(frame.format ?? "") ?? [];
  if (order === undefined) return null;
  const words = await copyWords(frame, width, height);
  if (words === null) return null;
  const isOpaque = toOpaqueRgba(words, order === "BGR");
  const data = new Uint8ClampedArray(words.buffer);
  if (isOpaque) return data;
  recycle({ data });
  return null;
}

export function isSrgb({ primaries, transfer, fullRange }: VideoColorSpace): boolean {
  return primaries === "bt709" && transfer === "iec61966-2-1" && fullRange === true;
}

/** Turns words of BGRA into RGBA, of either makes the alpha 255. Returns whether it was that everywhere. */
function toOpaqueRgba(words: Uint32Array, isBgr: boolean): boolean {
  let all = -1;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? 0;
    all &= word;
    words[at] = isBgr
      ? 0xff000000 | (word & 0xff00) | ((word & 0xff) << 16) | ((word >>> 16) & 0xff)
      : word | 0xff000000;
  }
  return all >>> 24 === 255;
}
