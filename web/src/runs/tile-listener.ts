// The page's listener for finished tiles.

import type { RunOptions, TileResult } from "../api/types.js";
import { reportingListener } from "./reporting-listener.js";

/**
 * No tile is reported after an abort. An error that the listener throws does not end the run, and nobody waits for what it
 * returns: the run goes on as soon as a tile is handed over, so that all are before the result is.
 */
export function tileListener(
  onTile: NonNullable<RunOptions["onTile"]>,
  signal: AbortSignal | undefined,
): (tile: TileResult) => void {
  const handOver = reportingListener(onTile);
  return (tile) => {
    if (signal?.aborted) tile.picture.close();
    else handOver(tile);
  };
}
