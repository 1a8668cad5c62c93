// The bytes of a bitmap or frame, read through a canvas.

import { WebbuildError } from "../api/errors.js";
import { classNameOf } from "./class-name.js";

/** RGBA, 8 bits each, rows from the top. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint8ClampedArray;
}

export function isVideoFrame(value: unknown): value is VideoFrame {
  return classNameOf(value) === "VideoFrame";
}

/** The size of the upright picture; for a VideoFrame, the size at which it is displayed. */
export function sizeOf(frame: VideoFrame | { width: number; height: number }): {
  width: number;
  height: number;
} {
  if (!isVideoFrame(frame)) return { width: frame.width, height: frame.height };
  return { width: frame.displayWidth, height: frame.displayHeight };
}

/**
 * Canvases premultiply colours by alpha, which loses precision in 8 bits. So a picture with alpha is drawn
 * again in float16. (A browser without float16 canvases ignores that, with an error of at most one level.)
 */
export function readByCanvas(frame: ImageBitmap | VideoFrame): Pixels {
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

export function tooLarge(width: number, height: number): WebbuildError {
  const what = `a picture of ${width} x ${height} pixels is more than this browser can draw`;
  return new WebbuildError("unreadable-image", what, "give a smaller picture");
}
