// What a task says of pictures that are run in tiles.

import type { RunOptions } from "../api/types.js";
import type { Hole } from "../inputs/mask-input.js";
import type { Pixels } from "../preprocess/canvas-pixels.js";
import type { Picture } from "../preprocess/pixels.js";
import type { Tiling } from "./run-tiles.js";

/** The source picture, open and as pixels, what of it is filled in, and what its tiles were put together to. */
interface JoinedTiles {
  picture: Picture;
  source: Pixels;
  hole: Hole | null;
  joined: ImageData;
}

export interface TiledTask<Spec, R> {
  /** Null where pictures are resized. */
  plan(spec: Spec): Pick<Tiling, "plan" | "scale"> | null;
  /** The options of the run of a tile: the picture's, without those that `join` answers for. */
  tileOptions?(options: RunOptions): RunOptions;
  /** Whether the result outside of a mask is the picture: a tile with nothing to fill in is not run then. */
  keepsOutside?(spec: Spec): boolean;
  /** Whether the model gets the colours of a tile as they are, and `join` its alpha. Without it: as a whole picture's. */
  readonly takesAlphaApart?: boolean;
  /** What of the result of a tile is put together. Its bitmaps are closed then. */
  pixels(result: R): Promise<Pixels>;
  join(spec: Spec, tiles: JoinedTiles, options: RunOptions): Promise<R>;
}
