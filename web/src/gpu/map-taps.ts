// The taps with which shaders resample an output map (depth, alpha, scores) to the picture's size. `mapTaps`
// computes them.

import type { MapTap } from "../tasks/depth/map-reader.js";

/** Two neighbouring cells of the map, the fraction between them, and whether the pixel is inside the input: 1 or 0. */
export const TAP = "struct Tap { first: u32, second: u32, fraction: f32, inside: u32 }";

/** Returns an array of the struct Tap. A MapTap outside of the input has the fraction NaN. */
export function packTaps(taps: readonly MapTap[]): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(taps.length * 4);
  const floats = new Float32Array(words.buffer);
  for (const [index, { first, second, fraction }] of taps.entries()) {
    const inside = !Number.isNaN(fraction);
    words.set([first, second, 0, inside ? 1 : 0], index * 4);
    floats[index * 4 + 2] = inside ? fraction : 0;
  }
  return words;
}
