// A depth map in colours, made on the CPU. The shader beside it does the same in float32.

import type { Geometry } from "../letterbox.js";
import { type DepthMap, type Extent, extentOf, readRows } from "../tasks/depth.js";
import { shade } from "./viridis.js";

/** Pixels of the longer side of a map in colours. */
export const LARGEST = 1280;

/** The values of the bright and of the dark end. */
export interface Scale {
  near: number;
  far: number;
}

/** A map that fades: how sure the model is, and the confidence at which it is opaque. */
export interface Fading {
  map: DepthMap;
  sure: number;
}

/** The geometry of the picture in colours. */
export function shrunk(geometry: Geometry): Geometry {
  const { width, height } = geometry.source;
  const shrink = Math.max(1, Math.max(width, height) / LARGEST);
  const side = (length: number): number => Math.max(1, Math.round(length / shrink));
  return { ...geometry, source: { width: side(width), height: side(height) } };
}

/** 1, or the largest of a confidence that is not between 0 and 1. */
export function surest({ max }: Extent): number {
  return max > 1 ? max : 1;
}

export function fadingOf(geometry: Geometry, map: DepthMap): Fading {
  return { map, sure: surest(extentOf(readRows(geometry, map))) };
}

/** What has no value is transparent; so is, where it fades, what the model is not sure of. */
export function paintMap(geometry: Geometry, map: DepthMap, scale: Scale, fading: Fading | null): ImageData {
  const small = shrunk(geometry);
  const { width, height } = small.source;
  const picture = new ImageData(width, height);
  const pixels = new Uint32Array(picture.data.buffer);
  const surenesses = fading && readRows(small, fading.map);
  let to = 0;
  for (const row of readRows(small, map)) {
    const sureness = surenesses?.next().value ?? null;
    for (let x = 0; x < width; x++, to++) {
      const value = row[x] ?? Number.NaN;
      if (!Number.isFinite(value)) continue;
      const opaque = fading === null ? 255 : opacity(sureness?.[x] ?? Number.NaN, fading.sure);
      pixels[to] = shade(shareOf(scale, value)) | (opaque << 24);
    }
  }
  return picture;
}

/** The value's place between the dark end and the bright end. */
export function shareOf({ near, far }: Scale, value: number): number {
  return near === far ? 0.5 : (value - far) / (near - far);
}

function opacity(confidence: number, sure: number): number {
  if (!Number.isFinite(confidence)) return 0;
  return Math.floor(255 * Math.min(Math.max(confidence / sure, 0), 1) + 0.5);
}
