// A run in tiles, as the worker does it: what it holds is freed or handed back, whatever comes of it.

import { type ProxyMarked, releaseProxy, transfer } from "comlink";
import { WebbuildError } from "../api/errors.js";
import type { ImageResult, Result, TileResult } from "../api/types.js";
import { closePictures, type Picture } from "../preprocess/pixels.js";
import { readSource, runTiles, type Tiling } from "../tiles/run-tiles.js";
import { withTransfer } from "./transfer.js";

/** Hears of a run's tiles, on the page. */
export type TileListener = ((tile: TileResult) => unknown) & ProxyMarked;

/** Where it fails its picture goes back with the error; where `runTile` says that it was aborted, the picture is closed. */
export async function runInTiles(
  picture: Picture,
  tiling: Tiling,
  runTile: (tile: ImageData) => Promise<ImageResult>,
  onTile: TileListener | null,
): Promise<Result[]> {
  const listener = onTile && ((tile: TileResult) => onTile(transfer(tile, [tile.picture])));
  try {
    const result = await runTiles(await readSource(picture, tiling.scale), tiling, runTile, listener);
    closePictures([picture]);
    return withTransfer([result], [], [result.picture]);
  } catch (error) {
    if (error instanceof WebbuildError && error.code !== "aborted") error.pictures = [picture];
    else closePictures([picture]);
    throw error;
  } finally {
    (onTile as { [releaseProxy]?(): void } | null)?.[releaseProxy]?.();
  }
}
