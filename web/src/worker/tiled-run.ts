// A run in tiles, as the worker does it.

import { type ProxyMarked, transfer } from "comlink";
import type { ImageResult, Result, TileResult } from "../api/types.js";
import type { Picture } from "../preprocess/pixels.js";
import { readSource, runTiles, type Tiling } from "../tiles/run-tiles.js";
import { withTransfer } from "./transfer.js";

/** Hears of a run's tiles, on the page. */
export type TileListener = ((tile: TileResult) => unknown) & ProxyMarked;

/** The picture stays open. */
export async function runInTiles(
  picture: Picture,
  tiling: Tiling,
  runTile: (tile: ImageData) => Promise<ImageResult>,
  onTile: TileListener | null,
): Promise<Result[]> {
  const listener = onTile && ((tile: TileResult) => onTile(transfer(tile, [tile.picture])));
  const result = await runTiles(await readSource(picture, tiling.scale), tiling, runTile, listener);
  return withTransfer([result], [], [result.picture]);
}
