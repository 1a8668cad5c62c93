// Objects and their boxes.

import type { Box } from "../../api/geometry.js";
import type { RunResult } from "../../api/run-result.js";

/** Boxes with classes and scores. */
export interface DetectResult extends RunResult {
  kind: "detect";
  detections: Detection[];
}

/** An object that was found, in pixels of the upright source picture. */
export interface Detection {
  box: Box;
  score: number;
  classIndex: number;
  /** The class's name in the manifest; "class 7" for an index that has none. */
  label: string;
  /** The number of its track, from 1 on, the same in all frames: of a stream with `track`, where a track has it. */
  track?: number;
}
