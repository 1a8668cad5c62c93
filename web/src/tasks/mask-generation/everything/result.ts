// The masks that a grid of points finds in a picture.

import type { Box, Point } from "../../../api/geometry.js";
import type { RunResult } from "../../../api/run-result.js";

/**
 * The result of `scene.everything()`: every object that a grid of points finds. Of overlapping masks only the
 * best is kept.
 */
export interface EverythingResult extends RunResult {
  kind: "everything";
  /** Best first. Empty if no mask is good enough: a warning then has the best score. */
  masks: FoundMask[];
  /** The highest score of any mask, even if it is not in `masks`. */
  bestScore: number;
}

/** A result whose masks are run lengths. */
export interface MaskRunsResult extends RunResult {
  masks: readonly Pick<FoundMask, "mask" | "score" | "box">[];
}

/** An object that was found at a point of the grid. */
export interface FoundMask {
  /**
   * The pixels of the picture. `maskPixels(mask)` expands them to a byte each; `toCoco` and `toPng` take the
   * runs.
   */
  mask: MaskRuns;
  /** The model's predicted IoU with the true mask. */
  score: number;
  /** The IoU of the masks at a higher and a lower threshold: 1 for a sharp outline. */
  stability: number;
  /** The bounding box of the pixels. */
  box: Box;
  /** The point where it was found, in pixels of the picture. */
  point: Point;
}

/**
 * A mask as run lengths in COCO's order: a mask of 12 megapixels takes some kilobytes. `counts` are the
 * lengths of runs of pixels, alternately outside and inside of the object, column by column; the first is
 * outside.
 */
export interface MaskRuns {
  width: number;
  height: number;
  counts: Uint32Array<ArrayBuffer>;
}
