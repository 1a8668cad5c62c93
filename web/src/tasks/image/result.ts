// The picture that an image-to-image model returns.

import type { RunResult } from "../../api/run-result.js";

/** The picture that an image-to-image model returns: larger, cleaner, brighter, in colours or in another style. */
export interface ImageResult extends RunResult {
  kind: "image";
  /**
   * Its size is the source picture's times the manifest's `scale`. Transparent where the model's input did
   * not show the source. Close it after use.
   */
  picture: ImageBitmap;
}
