// The masks of the object that a prompt points at.

import type { Box } from "../../api/geometry.js";
import type { RunResult } from "../../api/run-result.js";

/** The object that a prompt points at. */
export interface MaskGenerationResult extends RunResult {
  kind: "mask-generation";
  /** One, or all that an ambiguous prompt may mean where the run asked for them. */
  masks: ObjectMask[];
  /** Which of them has the highest score. */
  best: number;
  /** Those of the best mask. Given as the `mask` of a later prompt, they are refined. */
  logits: MaskLogits;
}

/** The pixels of the picture that an object covers. */
export interface ObjectMask {
  /** Row by row, for each pixel of the source picture: 1 where the object is, 0 where it is not. */
  mask: Uint8Array<ArrayBuffer>;
  /** The IoU with the true mask that the model predicts. */
  score: number;
  /** The least box around the pixels, all 0 where there are none. */
  box: Box;
}

/** What a mask is made of, as small as the model gives it: above the threshold is the object. */
export interface MaskLogits {
  data: Float32Array<ArrayBuffer>;
  columns: number;
  rows: number;
}
