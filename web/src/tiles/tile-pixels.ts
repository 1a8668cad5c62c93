// The pixels of tiles: cut out, drawn into the result, and the picture's alpha, which no model gets.

import type { Hole } from "../inputs/mask-input.js";
import type { Pixels } from "../preprocess/canvas-pixels.js";
import type { Size } from "../preprocess/letterbox.js";
import { taps } from "../preprocess/resample.js";
import { tileRamps, tileShares } from "./blend.js";
import type { Tile } from "./plan.js";

const OPAQUE = 255;

/** Returns the part of a picture at `left`, `top`. Beyond its edges the last pixels are repeated. */
export function cutOut(picture: Pixels, left: number, top: number, { width, height }: Size): ImageData {
  const tile = new ImageData(width, height);
  const from = new Uint32Array(picture.data.buffer, picture.data.byteOffset, picture.width * picture.height);
  const into = new Uint32Array(tile.data.buffer);
  for (let y = 0; y < height; y++) {
    const row = Math.min(top + y, picture.height - 1) * picture.width;
    const inside = Math.min(width, picture.width - left);
    into.set(from.subarray(row + left, row + left + inside), y * width);
    into.fill(from[row + picture.width - 1] ?? 0, y * width + inside, (y + 1) * width);
  }
  return tile;
}

/** Returns the part of a mask at `left`, `top`, extended beyond the edges like the picture. */
export function cutHole(
  hole: Hole,
  left: number,
  top: number,
  { width, height }: Size,
): Uint8Array<ArrayBuffer> {
  const tile = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    const row = Math.min(top + y, hole.height - 1) * hole.width;
    for (let x = 0; x < width; x++)
      tile[y * width + x] = hole.data[row + Math.min(left + x, hole.width - 1)] ?? 0;
  }
  return tile;
}

/** Sets a tile's alpha to opaque, without changing its colours. */
export function makeOpaque({ data }: ImageData): void {
  for (let at = 3; at < data.length; at += 4) data[at] = OPAQUE;
}

/** A rectangle, in pixels of the result. */
export interface Rectangle extends Size {
  x: number;
  y: number;
}

/**
 * Draws a tile's output into the result, which is `scale` times as large as the picture. Returns its
 * rectangle. With `feather` it extends by this many pixels of the picture into its neighbours, and is blended
 * with those drawn before.
 */
export function putTile(
  result: Pixels,
  drawn: Pixels,
  tile: Tile,
  scale: number,
  feather: number,
): Rectangle {
  const columns = tileRamps(tile.column, feather, scale, result.width);
  const rows = tileRamps(tile.row, feather, scale, result.height);
  const [width, height] = [columns.rise.length, rows.rise.length];
  for (let line = 0; line < height; line++) {
    const y = rows.start + line;
    const from = (y - tile.row.offset * scale) * drawn.width + columns.start - tile.column.offset * scale;
    const into = y * result.width + columns.start;
    const source = drawn.data.subarray(from * 4, (from + width) * 4);
    if (feather === 0) result.data.set(source, into * 4);
    else blend(result.data.subarray(into * 4, (into + width) * 4), source, tileShares(columns, rows, line));
  }
  return { x: columns.start, y: rows.start, width, height };
}

function blend(into: Uint8ClampedArray, from: Uint8ClampedArray, shares: Float64Array): void {
  for (let at = 0; at < into.length; at++) {
    const before = into[at] ?? 0;
    into[at] = before + (shares[at >> 2] ?? 1) * ((from[at] ?? 0) - before);
  }
}

/** Sets the result's alpha to the picture's, resampled, unless the picture is opaque. */
export function putAlpha(result: Pixels, picture: Pixels): void {
  const alpha = new Uint8Array(picture.width * picture.height);
  for (let at = 0; at < alpha.length; at++) alpha[at] = picture.data[at * 4 + 3] ?? OPAQUE;
  if (alpha.every((value) => value === OPAQUE)) return;
  const columns = taps("bilinear", picture.width, result.width, 0, result.width);
  const rows = taps("bilinear", picture.height, result.height, 0, result.height);
  for (let y = 0, into = 3; y < result.height; y++) {
    for (let x = 0; x < result.width; x++, into += 4) {
      let sum = 0;
      for (let down = y * rows.count; down < (y + 1) * rows.count; down++) {
        const row = (rows.at[down] ?? 0) * picture.width;
        for (let across = x * columns.count; across < (x + 1) * columns.count; across++) {
          const weight = (rows.weights[down] ?? 0) * (columns.weights[across] ?? 0);
          sum += weight * (alpha[row + (columns.at[across] ?? 0)] ?? 0);
        }
      }
      result.data[into] = sum;
    }
  }
}
