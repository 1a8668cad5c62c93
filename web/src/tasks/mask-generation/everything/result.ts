// What a grid of points finds in a picture.

import type { Box, Point } from "../../../api/geometry.js";
import type { RunResult } from "../../../api/run-result.js";

/** Every object that a grid of points finds, what `scene.everything()` returns. Of masks that overlap, the best is left. */
export interface EverythingResult extends RunResult {
  kind: "everything";
  /** The best first. Empty where no mask is good enough: `warnings` then says how good the best was. */
  masks: FoundMask[];
  /** The highest score of any mask, whether it is among them or not. */
  bestScore: number;
}

/** Objects whose masks are run lengths: all of a picture, or some of them. */
export interface MaskRunsResult extends RunResult {
  masks: readonly Pick<FoundMask, "mask" | "score" | "box">[];
}

/** An object that a point of the grid found. */
export interface FoundMask {
  /** The pixels of the picture. `maskPixels(mask)` makes a byte of each; `toCoco` and `toPng` take the runs. */
  mask: MaskRuns;
  /** The IoU with the true mask that the model predicts. */
  score: number;
  /** The IoU of the masks that a higher and a lower threshold would give: 1 for a sharp outline. */
  stability: number;
  /** The least box around the pixels. */
  box: Box;
  /** The point that it was found at, in pixels of the picture. */
  point: Point;
}

/**
 * A mask as run lengths, as COCO has them: a mask of 12 megapixels takes some kilobytes. `counts` are the lengths of the
 * runs of pixels outside of the object and inside of it by turns, column by column; the first is outside.
 */
export interface MaskRuns {
  width: number;
  height: number;
  counts: Uint32Array<ArrayBuffer>;
}
