// Masks of one picture as one map in the size that is painted, made row by row, so that the page never stalls.

import type { Box } from "../../src/index.js";
import { pause } from "../util/slices.js";
import type { Size } from "./fit.js";

/** An object's pixels among those of the picture: 1 where it is. */
export interface PlacedMask {
  mask: Uint8Array;
  box: Box;
}

/** Pixels that are looked at before the page may do something else. */
const slice = 500_000;

/**
 * Returns for each pixel that is painted the number of its object, from 1, the last one on top; null where `stopped` said so
 * meanwhile. A null among the masks keeps its number.
 */
export async function maskMap(
  masks: readonly (PlacedMask | null)[],
  picture: Size,
  painted: Size,
  stopped: () => boolean = () => false,
): Promise<Uint16Array<ArrayBuffer> | null> {
  const map = new Uint16Array(painted.width * painted.height);
  const across = centres(painted.width, picture.width);
  const down = centres(painted.height, picture.height);
  let looked = 0;
  for (const [index, found] of masks.entries()) {
    if (found === null) continue;
    const { mask, box } = found;
    const [left, right] = within(across, box.x1, box.x2);
    const [top, bottom] = within(down, box.y1, box.y2);
    for (let y = top; y < bottom; y += 1) {
      const row = (down[y] ?? 0) * picture.width;
      const to = y * painted.width;
      for (let x = left; x < right; x += 1) if (mask[row + (across[x] ?? 0)] === 1) map[to + x] = index + 1;
      looked += right - left;
      if (looked < slice) continue;
      looked = 0;
      await pause();
      if (stopped()) return null;
    }
  }
  return map;
}

/** The pixel of the picture at the middle of each one that is painted. */
function centres(painted: number, picture: number): Int32Array {
  return Int32Array.from({ length: painted }, (_, at) => Math.floor(((at + 0.5) * picture) / painted));
}

/** The first place that lies in a range, and the one behind the last. */
function within(places: Int32Array, from: number, end: number): [first: number, end: number] {
  const first = places.findIndex((place) => place >= from);
  const behind = places.findIndex((place) => place >= end);
  return first === -1 ? [0, 0] : [first, behind === -1 ? places.length : behind];
}
