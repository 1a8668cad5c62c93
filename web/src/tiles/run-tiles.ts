// Runs a model of one input size on a larger picture, tile by tile.

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

/** A larger result needs more than 512 MB while it is computed: 4 bytes a pixel, twice. */
const MAX_PIXELS = 2 ** 26;

/** How a model runs pictures in tiles: the plan, the size of its input, and the scale of its output. */
export interface Tiling {
  plan: TilePlan;
  input: Size;
  scale: number;
}

/** Reads the picture, which stays open. Throws "picture-too-large" before memory is allocated for it. */
export async function readSource(picture: Picture, scale: number): Promise<Pixels> {
  const frame = picture instanceof Blob ? await decodeBlob(picture) : picture;
  try {
    checkResultSize(sizeOf(frame), scale);
    return await readPixels(frame);
  } finally {
    if (frame !== picture) closePictures([frame]);
  }
}

/** Throws "picture-too-large" if the result of a picture would be too large. */
export function checkResultSize({ width, height }: Size, scale: number): void {
  if (width * height * scale ** 2 <= MAX_PIXELS) return;
  const what = `a picture of ${width} x ${height} would become one of ${width * scale} x ${height * scale} pixels`;
  const most = Math.floor(MAX_PIXELS / scale ** 2 / 1e5) / 10;
  const fix = `give a picture of at most ${most} megapixels, or parts of it one by one`;
  throw new WebbuildError("picture-too-large", what, fix);
}

/**
 * A picture to run in tiles, and the mask to fill in. `keepsOutside`: outside of the mask the result is the
 * picture.
 */
interface TiledPicture {
  picture: Pixels;
  hole: Hole | null;
  keepsOutside: boolean;
}

/** The pixels of a tile's result, and the metadata of its run. */
export interface TileRun {
  pixels: Pixels;
  run: RunMetadata;
}

/**
 * Runs each tile of the picture and joins them. `onTile` gets the joined part of each tile when it is
 * finished; the next tile waits until the page has it. Memory holds the picture, the result and one tile.
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
    // The result needs the metadata of at least one run.
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
