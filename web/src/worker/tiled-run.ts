// Runs a picture in tiles, in the worker.

import { type ProxyMarked, transfer } from "comlink";
import { internalError } from "../api/errors.js";
import type { Result, TileResult } from "../api/types.js";
import { isMaskSource, readHole } from "../inputs/mask-input.js";
import type { Manifest } from "../manifest/manifest.js";
import type { Picture } from "../preprocess/pixels.js";
import { taskOf } from "../tasks/registry.js";
import { readSource, runTiles, type TileRun, type Tiling } from "../tiles/run-tiles.js";
import { makeOpaque } from "../tiles/tile-pixels.js";
import { withTransfer } from "./transfer.js";
import type { WorkerRunOptions } from "./worker-run-options.js";

/** The page's listener for finished tiles. */
export type TileListener = ((tile: TileResult) => unknown) & ProxyMarked;

/** A picture to run in tiles. It stays open. */
interface TiledRequest {
  picture: Picture;
  tiling: Tiling;
  options: WorkerRunOptions;
  onTile: TileListener | null;
}

export type RunTile = (tile: ImageData, options: WorkerRunOptions) => Promise<Result>;

export async function runInTiles(
  manifest: Manifest,
  { picture, tiling, options, onTile }: TiledRequest,
  runTile: RunTile,
): Promise<Result[]> {
  const { tiles, transfer: transferable } = taskOf(manifest);
  if (tiles === undefined) throw internalError("tiles of a task that has none");
  const listener = onTile && ((tile: TileResult) => onTile(transfer(tile, [tile.picture])));
  const source = await readSource(picture, tiling.scale);
  const hole = isMaskSource(options.mask) ? readHole(options.mask, source) : null;
  const ownOptions = tiles.tileOptions?.(options) ?? options;
  const drawTile = async (tile: ImageData, mask: Uint8Array | null): Promise<TileRun> => {
    if (tiles.takesAlphaApart) makeOpaque(tile);
    const result = await runTile(tile, mask === null ? ownOptions : { ...ownOptions, mask });
    return { pixels: await tiles.pixels(result), run: result };
  };
  const keepsOutside = tiles.keepsOutside?.(manifest.task) ?? false;
  const parts = { picture: source, hole, keepsOutside };
  const { joined, run } = await runTiles(parts, tiling, drawTile, listener);
  const fields = await tiles.join(manifest.task, { picture, source, hole, joined }, options);
  const large = transferable?.(fields);
  // TypeScript does not know the task of the result.
  const result = { ...run, ...fields } as unknown as Result;
  return withTransfer([result], large?.arrays ?? [], large?.others ?? []);
}
