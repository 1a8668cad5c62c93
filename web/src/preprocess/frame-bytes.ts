// Reads the bytes of a VideoFrame with copyTo(), which is faster than drawing it on a canvas and reading that back.

import { aligned, RowKernel } from "../wasm/row-kernel.js";
import type { Pixels } from "./canvas-pixels.js";

/** Buffers for the next pictures of the same size: allocating new memory takes longer than the copy. */
const spare: ArrayBuffer[] = [];
/** Bytes of all spare buffers: more than a stack of camera frames, less than a few photos. */
const MAX_SPARE_BYTES = 1 << 25;

/** Keeps the memory of pixels that are no longer read, for the next picture. */
export function recycle({ data: { buffer } }: Pick<Pixels, "data">): void {
  if (!(buffer instanceof ArrayBuffer)) return;
  if (spare.some(({ byteLength }) => byteLength !== buffer.byteLength)) spare.length = 0;
  if ((spare.length + 1) * buffer.byteLength <= MAX_SPARE_BYTES) spare.push(buffer);
}

/** Returns the bytes of a frame of `width` x `height` pixels, null if it is not 4 bytes a pixel without gaps. */
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

/** Returns the RGBA pixels of a bitmap's frame; null if some are not opaque, or the layout is another. */
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

/** The number of bytes that the kernel converts at a time. */
const PART = 1 << 16;

/** Converts BGRA to RGBA in place. Returns false, with the conversion unfinished, if an alpha is not 255. */
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
