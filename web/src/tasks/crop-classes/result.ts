// The classes of what was found.

import type { RunResult } from "../../api/run-result.js";
import type { ClassScore } from "../classify/result.js";
import type { CropAttributes } from "../crop-attributes.js";
import type { Detection } from "../detect/result.js";

/** Objects that a detector found, each with the classes that a second model gives it. */
export interface CropClassesResult extends RunResult {
  kind: "crop-classes";
  /** In the order of the detector. */
  detections: ClassifiedDetection[];
}

/** An object, and what the second model takes it for: `label` and `score` are those of the detector. */
export interface ClassifiedDetection extends Detection, CropAttributes {
  /** The ten best, or all where there are fewer; the most probable first. */
  classes: ClassScore[];
}
