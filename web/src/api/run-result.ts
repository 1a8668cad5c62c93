// What the results of all tasks have in common.

import type { Warning } from "./errors.js";
import type { Backend } from "./load-options.js";
import type { PictureSize } from "./picture.js";

export interface RunResult {
  /** The size of the upright picture. All coordinates are in its pixels. */
  width: number;
  height: number;
  /** The size that the model ran at, one of its `sizes`. */
  size: PictureSize;
  timings: Timings;
  preprocess: PreprocessRoute;
  /** Where the model's outputs were decoded into this result. */
  postprocess: Route;
  /** The backend of the graph that gave the result. */
  backend: Backend;
  /** Not null if the first graph cannot be exact on this picture and the run was repeated on another. */
  fallback: { target: Backend; reason: string } | null;
  warnings: Warning[];
}

/** Where a step runs, GPU or CPU, and why. */
export interface Route {
  path: "gpu" | "cpu";
  reason: string;
}

/**
 * How the GPU reads the picture: as an external texture (a VideoFrame without a copy), or copied into a
 * texture. Null if the CPU makes the tensor.
 */
export interface PreprocessRoute extends Route {
  texture: "external" | "copied" | null;
}

/**
 * Milliseconds in the worker; for a batch the sum of all its pictures. With preprocessing on the GPU,
 * `preprocess` is only the upload and the commands; the GPU's time counts in `inference`.
 */
export interface Timings {
  preprocess: number;
  inference: number;
  postprocess: number;
  total: number;
}
