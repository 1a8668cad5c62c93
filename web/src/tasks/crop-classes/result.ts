// The classes of detected objects.

import type { RunResult } from "../../api/run-result.js";
import type { ClassScore } from "../classify/result.js";
import type { CropAttributes } from "../crop-attributes.js";
import type { Detection } from "../detect/result.js";

/** Detected objects, each with the classes of a second model. */
export interface CropClassesResult extends RunResult {
  kind: "crop-classes";
  /** In the detector's order. */
  detections: ClassifiedDetection[];
}

/** An object with the second model's classes. `label` and `score` are the detector's. */
export interface ClassifiedDetection extends Detection, CropAttributes {
  /** The ten most probable, or all if there are fewer; the most probable first. */
  classes: ClassScore[];
}
