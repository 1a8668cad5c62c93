// The masks of the object that a prompt points at.

import type { Box } from "../../api/geometry.js";
import type { RunResult } from "../../api/run-result.js";

/** The object of a prompt. */
export interface MaskGenerationResult extends RunResult {
  kind: "mask-generation";
  /** One mask, or with `multimask` all that an ambiguous prompt may mean. */
  masks: ObjectMask[];
  /** The index of the mask with the highest score. */
  best: number;
  /** The logits of the best mask. Pass them as `mask` of a later prompt to refine it. */
  logits: MaskLogits;
}

/** The pixels of the picture that an object covers. */
export interface ObjectMask {
  /** Row by row, for each pixel of the source picture: 1 inside the object, 0 outside. */
  mask: Uint8Array<ArrayBuffer>;
  /** The model's predicted IoU with the true mask. */
  score: number;
  /** The bounding box of the pixels, all 0 if there are none. */
  box: Box;
}

/**
 * The logits that a mask is computed from, at the model's output size: values above the threshold are the
 * object.
 */
export interface MaskLogits {
  data: Float32Array<ArrayBuffer>;
  columns: number;
  rows: number;
}
