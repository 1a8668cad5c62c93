// Masks of one picture as one map in the size that is painted, made row by row, so that the page never stalls.

import { pause } from "../../src/export/slices.js";
import type { Box, MaskRuns } from "../../src/index.js";
import type { Size } from "./fit.js";

/** An object's pixels among those of the picture: 1 where it is. Run lengths are for hundreds of masks. */
export interface PlacedMask {
  mask: Uint8Array | MaskRuns;
  box: Box;
}

/** The map that is made, and the pixel of the picture in the middle of each column and row of it. */
interface Canvas {
  map: Uint16Array;
  across: Int32Array;
  down: Int32Array;
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
    for (const pixels of paint({ map, across, down }, found, index + 1, picture)) {
      looked += pixels;
      if (looked < slice) continue;
      looked = 0;
      await pause();
      if (stopped()) return null;
    }
  }
  return map;
}

function paint(
  canvas: Canvas,
  { mask, box }: PlacedMask,
  number: number,
  { width }: Size,
): Generator<number, void, void> {
  return mask instanceof Uint8Array
    ? paintPixels(canvas, mask, box, number, width)
    : paintRuns(canvas, mask, number);
}

/** Paints row by row, and yields how many pixels each looked at. */
function* paintPixels(
  { map, across, down }: Canvas,
  mask: Uint8Array,
  box: Box,
  number: number,
  width: number,
): Generator<number, void, void> {
  const [left, right] = within(across, box.x1, box.x2);
  const [top, bottom] = within(down, box.y1, box.y2);
  for (let y = top; y < bottom; y += 1) {
    const row = (down[y] ?? 0) * width;
    const to = y * across.length;
    for (let x = left; x < right; x += 1) if (mask[row + (across[x] ?? 0)] === 1) map[to + x] = number;
    yield right - left;
  }
}

/** Paints run by run, which go down a column and on at the top of the next, and yields how many pixels each painted. */
function* paintRuns(
  { map, across, down }: Canvas,
  { width, height, counts }: MaskRuns,
  number: number,
): Generator<number, void, void> {
  const columns = firstFrom(across, width);
  const rows = firstFrom(down, height);
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

/** The pixel of the picture at the middle of each one that is painted. */
function centres(painted: number, picture: number): Int32Array {
  return Int32Array.from({ length: painted }, (_, at) => Math.floor(((at + 0.5) * picture) / painted));
}

/** For each pixel of the picture, and the end, the first place whose centre is there or behind it. */
function firstFrom(places: Int32Array, picture: number): Int32Array {
  const firsts = new Int32Array(picture + 1);
  let place = 0;
  for (let pixel = 0; pixel <= picture; pixel += 1) {
    while (place < places.length && (places[place] ?? 0) < pixel) place += 1;
    firsts[pixel] = place;
  }
  return firsts;
}

/** The first place that lies in a range, and the one behind the last. */
function within(places: Int32Array, from: number, end: number): [first: number, end: number] {
  const first = places.findIndex((place) => place >= from);
  const behind = places.findIndex((place) => place >= end);
  return first === -1 ? [0, 0] : [first, behind === -1 ? places.length : behind];
}
