// The foreground of a picture.

import type { RunResult } from "../../api/run-result.js";

/** The foreground of a picture. */
export interface MatteResult extends RunResult {
  kind: "matte";
  /** Row by row, one value for each pixel of the source picture: 0 is background, 255 foreground. */
  alpha: Uint8Array<ArrayBuffer>;
  /**
   * The foreground, in the size of the source picture, on a transparent background or on that of the
   * `background` option. Close it after use.
   */
  cutout: ImageBitmap;
}
