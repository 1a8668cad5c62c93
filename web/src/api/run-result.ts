// What the results of all tasks have in common.

import type { Warning } from "./errors.js";
import type { Backend } from "./load-options.js";
import type { PictureSize } from "./picture.js";

export interface RunResult {
  /** The size of the upright picture, which all coordinates are in. */
  width: number;
  height: number;
  /** The size that it was run at, one of the model's. */
  size: PictureSize;
  timings: Timings;
  preprocess: PreprocessRoute;
  /** Where what the model gave became this result. */
  postprocess: Route;
  /** The graph that answered. */
  backend: Backend;
  /** Not null: the first graph could not be exact on this picture, so the run was repeated on another. */
  fallback: { target: Backend; reason: string } | null;
  warnings: Warning[];
}

/** Where something is done, and why there. */
export interface Route {
  path: "gpu" | "cpu";
  reason: string;
}

/**
 * How the GPU got the picture: as an external texture, which is a VideoFrame where it lies, or copied into a texture of
 * its own. Null where the CPU made the tensor.
 */
export interface PreprocessRoute extends Route {
  texture: "external" | "copied" | null;
}

/**
 * Milliseconds in the worker, of a batch those of all its pictures. On the GPU's path `preprocess` hands the picture over;
 * the GPU's own time is `inference`'s.
 */
export interface Timings {
  preprocess: number;
  inference: number;
  postprocess: number;
  total: number;
}
