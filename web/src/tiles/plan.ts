// Tiles of a picture that is larger than the model's input: the runtime's half of webbuild/preprocess/tiles.py, which says
// where they lie.

import type { Size } from "../preprocess/letterbox.js";

/** Pixels of the picture that a tile needs around what it keeps, and what its place is a multiple of. */
interface Halo {
  halo: number;
  multiple: number;
}

/** A tile along one axis, in pixels of the picture: it is cut out at `offset`, and kept from `start` to before `end`. */
export interface Span {
  offset: number;
  start: number;
  end: number;
}

export interface Tile {
  column: Span;
  row: Span;
}

/** Whether something of a tile of this size is left without its halo, by which tiles can advance. */
export function fitsHalo({ width, height }: Size, { halo, multiple }: Halo): boolean {
  return Math.min(width, height) - 2 * halo >= multiple;
}

/** Returns the tiles of a picture, row by row from the upper left one. */
export function tilesOf({ width, height }: Size, tile: Size, plan: Halo): Tile[] {
  const columns = tileSpans(width, tile.width, plan);
  return tileSpans(height, tile.height, plan).flatMap((row) => columns.map((column) => ({ column, row })));
}

export function tileSpans(length: number, size: number, { halo, multiple }: Halo): Span[] {
  const distance = Math.max(0, Math.ceil((length - size) / multiple));
  const last = Math.ceil(distance / Math.floor((size - 2 * halo) / multiple));
  const offsets = Array.from(
    { length: last + 1 },
    (_, at) => multiple * Math.floor((at * distance) / Math.max(1, last)),
  );
  const cut = (offset: number | undefined, other: number | undefined, edge: number): number =>
    offset === undefined || other === undefined ? edge : Math.floor((offset + size + other) / 2);
  return offsets.map((offset, at) => ({
    offset,
    start: cut(offsets[at - 1], offset, 0),
    end: cut(offset, offsets[at + 1], length),
  }));
}
