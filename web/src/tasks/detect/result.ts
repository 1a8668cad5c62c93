// Objects and their boxes.

import type { Box } from "../../api/geometry.js";
import type { RunResult } from "../../api/run-result.js";

/** Boxes with classes and scores. */
export interface DetectResult extends RunResult {
  kind: "detect";
  detections: Detection[];
}

/** A detected object, in pixels of the upright source picture. */
export interface Detection {
  box: Box;
  score: number;
  classIndex: number;
  /** The class name in the manifest; "class 7" for an index without a name. */
  label: string;
  /**
   * The id of its track, from 1 on, the same in all frames. Only in a stream with `track`, for detections of
   * a track.
   */
  track?: number;
}
