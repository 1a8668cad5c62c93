// Plans the tiles of a picture that is larger than the model's input: same as webbuild/preprocess/tiles.py,
// which describes their positions.

import type { Size } from "../preprocess/letterbox.js";

/**
 * `halo`: the pixels that a tile needs around the part that is kept. `multiple`: its position is a multiple
 * of this.
 */
interface Halo {
  halo: number;
  multiple: number;
}

/**
 * A tile along one axis, in pixels of the picture: cut out from `offset` on, and kept from `start` to `end`
 * (exclusive).
 */
export interface Span {
  offset: number;
  start: number;
  end: number;
}

export interface Tile {
  column: Span;
  row: Span;
}

/** Whether a tile of this size without its halo is large enough for tiles to advance. */
export function fitsHalo({ width, height }: Size, { halo, multiple }: Halo): boolean {
  return Math.min(width, height) - 2 * halo >= multiple;
}

/** Returns the tiles of a picture, row by row from the top left. */
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
