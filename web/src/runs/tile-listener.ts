// What hears of a run's tiles on the page.

import type { RunOptions, TileResult } from "../api/types.js";

/** No tile is reported after an abort. An error that the listener throws does not end the run. */
export function tileListener(
  onTile: NonNullable<RunOptions["onTile"]>,
  signal: AbortSignal | undefined,
): (tile: TileResult) => unknown {
  return async (tile) => {
    if (signal?.aborted) return tile.picture.close();
    try {
      await onTile(tile);
    } catch (error) {
      reportError(error);
    }
  };
}
