// The page's listener for finished tiles.

import type { RunOptions, TileResult } from "../api/types.js";
import { reportingListener } from "./reporting-listener.js";

/**
 * Wraps `onTile`. Tiles after an abort are closed and not reported. Errors of the listener do not stop the
 * run, and a promise that it returns is not awaited: all tiles are reported before the result.
 */
export function tileListener(
  onTile: NonNullable<RunOptions["onTile"]>,
  signal: AbortSignal | undefined,
): (tile: TileResult) => void {
  const report = reportingListener(onTile);
  return (tile) => {
    if (signal?.aborted) tile.picture.close();
    else report(tile);
  };
}
