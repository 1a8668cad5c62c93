// The bytes of a VideoFrame as they lie in memory: a canvas would draw it, and read that back.

import { aligned, RowKernel } from "../wasm/row-kernel.js";
import type { Pixels } from "./canvas-pixels.js";

/** What is kept for the next pictures of the same size: memory that is new to the process costs more than the copy into it. */
const spare: ArrayBuffer[] = [];
/** Bytes of them all: more than a stack of a camera's frames, less than a few photos. */
const MOST = 1 << 25;

/** Gives back the memory of pixels that nobody reads any more. */
export function recycle({ data: { buffer } }: Pick<Pixels, "data">): void {
  if (!(buffer instanceof ArrayBuffer)) return;
  if (spare.some(({ byteLength }) => byteLength !== buffer.byteLength)) spare.length = 0;
  if ((spare.length + 1) * buffer.byteLength <= MOST) spare.push(buffer);
}

/** Returns the bytes of a frame of `width` by `height` pixels, null where they are laid out in another way. */
export async function copyBytes(
  frame: VideoFrame,
  width: number,
  height: number,
): Promise<Uint8ClampedArray<ArrayBuffer> | null> {
  const { visibleRect } = frame;
  const size = width * height * 4;
  if (visibleRect?.width !== width || visibleRect.height !== height || frame.allocationSize() !== size)
    return null;
  const buffer = spare[0]?.byteLength === size ? spare.pop() : undefined;
  const data = new Uint8ClampedArray(buffer ?? new ArrayBuffer(size));
  await frame.copyTo(data);
  return data;
}

/** Returns the pixels of a bitmap's frame; null where they are not all opaque, or laid out in another way. */
export async function readOpaque(
  frame: VideoFrame,
  width: number,
  height: number,
): Promise<Uint8ClampedArray<ArrayBuffer> | null> {
  const [, order] = /^(RGB|BGR)[AX]$/.exec(frame.format ?? "") ?? [];
  if (order === undefined) return null;
  const data = await copyBytes(frame, width, height);
  if (data === null || toOpaqueRgba(data, order === "BGR")) return data;
  recycle({ data });
  return null;
}

export function isSrgb({ primaries, transfer, fullRange }: VideoColorSpace): boolean {
  return primaries === "bt709" && transfer === "iec61966-2-1" && fullRange === true;
}

/** Bytes that the kernel has at a time. */
const PART = 1 << 16;

/** Turns BGRA into RGBA, and makes the alpha of either 255. Returns false, and is not done, where it was another. */
function toOpaqueRgba(data: Uint8ClampedArray, isBgr: boolean): boolean {
  const kernel = RowKernel.borrow(PART);
  try {
    const memory = new Uint8Array(kernel.buffer, 0, PART);
    for (let begin = 0; begin < data.length; begin += PART) {
      const part = data.subarray(begin, begin + PART);
      memory.fill(255, part.length, aligned(part.length));
      memory.set(part);
      if (!kernel.run.toOpaqueRgba(0, aligned(part.length), isBgr)) return false;
      part.set(memory.subarray(0, part.length));
    }
    return true;
  } finally {
    kernel.giveBack();
  }
}
