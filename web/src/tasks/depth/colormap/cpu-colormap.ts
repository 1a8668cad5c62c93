// Colours a depth map on the CPU. The shader next to this file does the same in float32.

import type { Geometry } from "../../../preprocess/letterbox.js";
import { type DepthMap, type Extent, extentOf, readRows } from "../depth-map.js";
import { viridisColor } from "./viridis.js";

/** The maximum longer side of the coloured map, in pixels. */
export const MAX_SIDE = 1280;

/** The values at the bright and at the dark end of the colormap. */
export interface Scale {
  near: number;
  far: number;
}

/** A confidence map that makes the colours transparent, and the confidence at which they are opaque. */
export interface ConfidenceAlpha {
  map: DepthMap;
  opaque: number;
}

/** Returns the geometry of the coloured map. */
export function colormapGeometry(geometry: Geometry): Geometry {
  const { width, height } = geometry.source;
  const shrink = Math.max(1, Math.max(width, height) / MAX_SIDE);
  const side = (length: number): number => Math.max(1, Math.round(length / shrink));
  return { ...geometry, source: { width: side(width), height: side(height) } };
}

/** Returns 1, or the maximum of a confidence that exceeds 1. */
function opaqueConfidence({ max }: Extent): number {
  return max > 1 ? max : 1;
}

export function confidenceAlpha(geometry: Geometry, map: DepthMap): ConfidenceAlpha {
  return { map, opaque: opaqueConfidence(extentOf(readRows(geometry, map))) };
}

/** Colours the map. Pixels without a value are transparent; with `alpha` also those with a low confidence. */
export function applyColormap(
  geometry: Geometry,
  map: DepthMap,
  scale: Scale,
  alpha: ConfidenceAlpha | null,
): ImageData {
  const small = colormapGeometry(geometry);
  const { width, height } = small.source;
  const picture = new ImageData(width, height);
  const pixels = new Uint32Array(picture.data.buffer);
  const confidences = alpha && readRows(small, alpha.map);
  let to = 0;
  for (const row of readRows(small, map)) {
    const confidence = confidences?.next().value ?? null;
    for (let x = 0; x < width; x++, to++) {
      const value = row[x] ?? Number.NaN;
      if (!Number.isFinite(value)) continue;
      const opaque = alpha === null ? 255 : opacity(confidence?.[x] ?? Number.NaN, alpha.opaque);
      pixels[to] = viridisColor(colormapPosition(scale, value)) | (opaque << 24);
    }
  }
  confidences?.return(undefined); // releases its memory
  return picture;
}

/** Returns the value's position between the dark end (0) and the bright end (1). */
export function colormapPosition({ near, far }: Scale, value: number): number {
  return near === far ? 0.5 : (value - far) / (near - far);
}

function opacity(confidence: number, full: number): number {
  if (!Number.isFinite(confidence)) return 0;
  return Math.floor(255 * Math.min(Math.max(confidence / full, 0), 1) + 0.5);
}
