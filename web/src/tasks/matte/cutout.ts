// Cuts the foreground out of the picture on the CPU. The shader next to this file does the same.

import type { Pixels } from "../../preprocess/canvas-pixels.js";
import type { Geometry } from "../../preprocess/letterbox.js";
import { type DepthMap, readRows } from "../depth/depth-map.js";

const OPAQUE = 255;

/** Returns the picture with its colours, not premultiplied, and the product of both alphas. */
export function withAlpha({ width, height, data }: Pixels, alpha: Uint8Array): ImageData {
  const cut = new ImageData(width, height);
  for (let at = 0, to = 0; at < alpha.length; at++, to += 4) {
    for (let channel = 0; channel < 3; channel++) cut.data[to + channel] = data[to + channel] ?? 0;
    cut.data[to + 3] = Math.floor(((alpha[at] ?? 0) * (data[to + 3] ?? 0)) / OPAQUE + 0.5);
  }
  return cut;
}

/** Sets the colours of translucent pixels to those of `foreground`. */
export function takeEdges(cut: ImageData, alpha: Uint8Array, { data }: Pixels): void {
  for (const [at, level] of alpha.entries()) {
    if (level === 0 || level === OPAQUE) continue;
    for (let channel = at * 4; channel < at * 4 + 3; channel++) cut.data[channel] = data[channel] ?? 0;
  }
}

/**
 * Returns the picture with alpha. Translucent pixels take the colours of `foreground`, maps of red, green and
 * blue, if it is not null.
 */
export function cutOut(
  pixels: Pixels,
  alpha: Uint8Array,
  geometry: Geometry,
  foreground: readonly DepthMap[] | null,
): ImageData {
  const cut = withAlpha(pixels, alpha);
  for (const [channel, map] of foreground?.entries() ?? []) paintEdges(cut, alpha, geometry, map, channel);
  return cut;
}

function paintEdges(
  cut: ImageData,
  alpha: Uint8Array,
  geometry: Geometry,
  map: DepthMap,
  channel: number,
): void {
  let at = 0;
  for (const row of readRows(geometry, map)) {
    for (const share of row) {
      const level = alpha[at] ?? 0;
      if (level > 0 && level < OPAQUE)
        cut.data[at * 4 + channel] = Math.floor(255 * Math.min(Math.max(share, 0), 1) + 0.5);
      at++;
    }
  }
}
