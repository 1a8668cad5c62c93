// Renders the masks of a picture into one map of object numbers, at the painted size. Works in slices with pauses, so that
// the page stays responsive.

import { pause } from "../../src/export/slices.js";
import type { Box, MaskRuns } from "../../src/index.js";
import type { Size } from "./fit.js";

/** An object's mask: a byte per pixel of the picture, or COCO run lengths. `box` bounds the pixels. */
export interface PlacedMask {
  mask: Uint8Array | MaskRuns;
  box: Box;
}

/** The map [height, width], and for each of its columns and rows the pixel of the picture that it samples. */
interface MapCanvas {
  map: Uint16Array;
  across: Int32Array;
  down: Int32Array;
}

/** Pixels to visit between two pauses. */
const PIXELS_PER_SLICE = 500_000;

/**
 * Returns the object number of each painted pixel, from 1, with the last object on top; null if `stopped` returned true.
 * A null in `masks` also uses up a number.
 */
export async function maskMap(
  masks: readonly (PlacedMask | null)[],
  picture: Size,
  painted: Size,
  stopped: () => boolean = () => false,
): Promise<Uint16Array<ArrayBuffer> | null> {
  const map = new Uint16Array(painted.width * painted.height);
  const across = sampledPixels(painted.width, picture.width);
  const down = sampledPixels(painted.height, picture.height);
  let pixelsVisited = 0;
  for (const [index, found] of masks.entries()) {
    if (found === null) continue;
    for (const pixels of paint({ map, across, down }, found, index + 1, picture)) {
      pixelsVisited += pixels;
      if (pixelsVisited < PIXELS_PER_SLICE) continue;
      pixelsVisited = 0;
      await pause();
      if (stopped()) return null;
    }
  }
  return map;
}

function paint(
  canvas: MapCanvas,
  { mask, box }: PlacedMask,
  number: number,
  { width }: Size,
): Generator<number, void, void> {
  return mask instanceof Uint8Array
    ? paintPixels(canvas, mask, box, number, width)
    : paintRuns(canvas, mask, number);
}

/** Paints row by row, and yields the pixels visited per row. */
function* paintPixels(
  { map, across, down }: MapCanvas,
  mask: Uint8Array,
  box: Box,
  number: number,
  width: number,
): Generator<number, void, void> {
  const [left, right] = indexRange(across, box.x1, box.x2);
  const [top, bottom] = indexRange(down, box.y1, box.y2);
  for (let y = top; y < bottom; y += 1) {
    const row = (down[y] ?? 0) * width;
    const to = y * across.length;
    for (let x = left; x < right; x += 1) if (mask[row + (across[x] ?? 0)] === 1) map[to + x] = number;
    yield right - left;
  }
}

/** Paints COCO run lengths, which are in column-major order, and yields the pixels painted per run. */
function* paintRuns(
  { map, across, down }: MapCanvas,
  { width, height, counts }: MaskRuns,
  number: number,
): Generator<number, void, void> {
  const columns = firstIndexPerPixel(across, width);
  const rows = firstIndexPerPixel(down, height);
  let at = 0;
  for (const [index, count] of counts.entries()) {
    const end = at + count;
    let painted = 1;
    for (; index % 2 === 1 && at < end; ) {
      const column = Math.floor(at / height);
      const behind = Math.min(end, (column + 1) * height);
      const x = columns[column] ?? 0;
      if (columns[column + 1] !== x) {
        const from = rows[at - column * height] ?? 0;
        const to = rows[behind - column * height] ?? 0;
        for (let y = from; y < to; y += 1) map[y * across.length + x] = number;
        painted += to - from;
      }
      at = behind;
    }
    at = end;
    yield painted;
  }
}

/** For each painted pixel along a side, the picture's pixel at its centre (nearest-neighbour sampling). */
function sampledPixels(painted: number, picture: number): Int32Array {
  return Int32Array.from({ length: painted }, (_, at) => Math.floor(((at + 0.5) * picture) / painted));
}

/** The inverse of `sampledPixels`: for each pixel of the picture, and its end, the first index that samples it or a later one. */
function firstIndexPerPixel(places: Int32Array, picture: number): Int32Array {
  const firsts = new Int32Array(picture + 1);
  let place = 0;
  for (let pixel = 0; pixel <= picture; pixel += 1) {
    while (place < places.length && (places[place] ?? 0) < pixel) place += 1;
    firsts[pixel] = place;
  }
  return firsts;
}

/** The range [first, end) of painted indices that sample pixels in [from, end). */
function indexRange(places: Int32Array, from: number, end: number): [first: number, end: number] {
  const first = places.findIndex((place) => place >= from);
  const behind = places.findIndex((place) => place >= end);
  return first === -1 ? [0, 0] : [first, behind === -1 ? places.length : behind];
}
