// A picture of any size through a model of one size: tile by tile, put together as they come.

import { WebbuildError } from "../api/errors.js";
import type { TileResult } from "../api/types.js";
import type { Hole } from "../inputs/mask-input.js";
import type { TilePlan } from "../manifest/manifest.js";
import { type Pixels, sizeOf } from "../preprocess/canvas-pixels.js";
import type { Size } from "../preprocess/letterbox.js";
import { closePictures, decodeBlob, type Picture, readPixels } from "../preprocess/pixels.js";
import { tilesOf } from "./plan.js";
import { mergedMetadata, metadataOf, type RunMetadata } from "./run-metadata.js";
import { cutHole, cutOut, putTile, type Rectangle } from "./tile-pixels.js";

/** A result of more pixels takes more than 512 MB while it is made: 4 bytes for each, twice. */
const MAX_PIXELS = 2 ** 26;

/** How a model's pictures are run in tiles: the size of its input, and how much larger what it makes is. */
export interface Tiling {
  plan: TilePlan;
  input: Size;
  scale: number;
}

/** Reads the picture, which stays open. Throws "picture-too-large" before its pixels are held. */
export async function readSource(picture: Picture, scale: number): Promise<Pixels> {
  const frame = picture instanceof Blob ? await decodeBlob(picture) : picture;
  try {
    checkResultSize(sizeOf(frame), scale);
    return await readPixels(frame);
  } finally {
    if (frame !== picture) closePictures([frame]);
  }
}

/** Throws "picture-too-large" where the result of a picture would be. */
export function checkResultSize({ width, height }: Size, scale: number): void {
  if (width * height * scale ** 2 <= MAX_PIXELS) return;
  const what = `a picture of ${width} x ${height} would become one of ${width * scale} x ${height * scale} pixels`;
  const most = Math.floor(MAX_PIXELS / scale ** 2 / 1e5) / 10;
  const fix = `give a picture of at most ${most} megapixels, or parts of it one by one`;
  throw new WebbuildError("picture-too-large", what, fix);
}

/** A picture that is run in tiles, and what of it is filled in. `keepsOutside` says that the result elsewhere is the picture. */
interface TiledPicture {
  picture: Pixels;
  hole: Hole | null;
  keepsOutside: boolean;
}

/** What became of a tile, and what is said of its run. */
export interface TileRun {
  pixels: Pixels;
  run: RunMetadata;
}

/**
 * Runs each tile of the picture and joins them. `onTile` gets what there is of each as soon as it is there; the next tile
 * waits until the page has it. Memory holds the picture, the result and one tile.
 */
export async function runTiles(
  { picture, hole, keepsOutside }: TiledPicture,
  { plan, input, scale }: Tiling,
  runTile: (tile: ImageData, hole: Uint8Array | null) => Promise<TileRun>,
  onTile: ((tile: TileResult) => unknown) | null,
): Promise<{ joined: ImageData; run: RunMetadata }> {
  const { width, height } = picture;
  const joined = new ImageData(width * scale, height * scale);
  const tiles = tilesOf(picture, input, plan);
  const runs: RunMetadata[] = [];
  for (const [index, tile] of tiles.entries()) {
    const [left, top] = [tile.column.offset, tile.row.offset];
    const cut = cutOut(picture, left, top, input);
    let pixels: Pixels = cut;
    const ownHole = hole && cutHole(hole, left, top, input);
    const isKept = keepsOutside && ownHole?.every((value) => value === 0);
    // the result says how it was run, so one tile is
    if (!isKept || (runs.length === 0 && index + 1 === tiles.length)) {
      const made = await runTile(cut, ownHole);
      runs.push(metadataOf(made.run));
      pixels = made.pixels;
    }
    const place = putTile(joined, pixels, tile, scale, plan.feather);
    if (onTile !== null)
      await onTile({ ...place, index, count: tiles.length, picture: await bitmapOf(joined, place) });
  }
  return { joined, run: mergedMetadata(runs) };
}

/** Reads a bitmap and closes it. */
export async function takePixels(picture: ImageBitmap): Promise<Pixels> {
  try {
    return await readPixels(picture);
  } finally {
    picture.close();
  }
}

function bitmapOf(result: ImageData, { x, y, width, height }: Rectangle): Promise<ImageBitmap> {
  return createImageBitmap(result, x, y, width, height);
}
