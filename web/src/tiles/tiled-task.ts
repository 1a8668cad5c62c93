// The interface of a task whose pictures can run in tiles.

import type { RunOptions } from "../api/types.js";
import type { Hole } from "../inputs/mask-input.js";
import type { Pixels } from "../preprocess/canvas-pixels.js";
import type { Picture } from "../preprocess/pixels.js";
import type { Tiling } from "./run-tiles.js";

/** The source picture, open and as pixels, the mask to fill in, and the joined tiles. */
interface JoinedTiles {
  picture: Picture;
  source: Pixels;
  hole: Hole | null;
  joined: ImageData;
}

export interface TiledTask<Spec, R> {
  /** Returns null if pictures are resized instead. */
  plan(spec: Spec): Pick<Tiling, "plan" | "scale"> | null;
  /** Returns the options of a tile's run: the picture's, without those that `join` handles. */
  tileOptions?(options: RunOptions): RunOptions;
  /** Whether the result outside of a mask is the picture: tiles with nothing to fill in are then skipped. */
  keepsOutside?(spec: Spec): boolean;
  /**
   * Whether the model gets a tile's colours unchanged, and `join` its alpha. If not set, a tile is treated
   * like a whole picture.
   */
  readonly takesAlphaApart?: boolean;
  /** Returns the pixels of a tile's result that are joined. Closes its bitmaps. */
  pixels(result: R): Promise<Pixels>;
  join(spec: Spec, tiles: JoinedTiles, options: RunOptions): Promise<R>;
}
