// The slices of a large picture, as SAHI's get_slice_bboxes cuts them.

import { WebbuildError } from "../api/errors.js";
import type { Size } from "../preprocess/letterbox.js";

/** The maximum number of slices: more would run for hours on any machine. */
const MAX_SLICES = 10_000;

/** A part of a picture, in pixels of the picture. */
export interface Slice extends Size {
  left: number;
  top: number;
}

/**
 * Returns the slices of a picture, row by row from the top left. Neighbours share `overlap` of a slice's
 * side, rounded down to pixels; the last of a row or column is shifted back into the picture. A slice is
 * never larger than the picture. Throws "invalid-option" if there are too many.
 */
export function sliceGrid(picture: Size, size: Size, overlap: number): Slice[] {
  const across = sliceCount(picture.width, size.width, overlap);
  const down = sliceCount(picture.height, size.height, overlap);
  if (across * down > MAX_SLICES) throw tooMany(picture, across * down);
  const columns = sliceOffsets(across, picture.width, size.width, overlap);
  const width = Math.min(size.width, picture.width);
  const height = Math.min(size.height, picture.height);
  return sliceOffsets(down, picture.height, size.height, overlap).flatMap((top) =>
    columns.map((left) => ({ left, top, width, height })),
  );
}

function stepOf(size: number, overlap: number): number {
  return size - Math.trunc(overlap * size);
}

function sliceCount(length: number, size: number, overlap: number): number {
  return 1 + Math.ceil(Math.max(0, length - size) / stepOf(size, overlap));
}

function sliceOffsets(count: number, length: number, size: number, overlap: number): number[] {
  const last = Math.max(0, length - size);
  return Array.from({ length: count }, (_, at) => Math.min(at * stepOf(size, overlap), last));
}

function tooMany({ width, height }: Size, count: number): WebbuildError {
  const what = `slices: a picture of ${width} x ${height} would be cut into ${count}, more than ${MAX_SLICES}`;
  return new WebbuildError("invalid-option", what, "give a larger size, or a smaller overlap");
}
