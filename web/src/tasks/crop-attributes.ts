// The attributes that stages of crops add to a detection, one field each. A later stage keeps those of earlier stages.

import type { ClassScore } from "./classify/result.js";
import type { KeypointPosition } from "./pose/result.js";
import type { Polygon } from "./text-boxes/result.js";

/** Attributes of a detection, from the stages that take crops. A field is there if a stage, or the detector, gives it. */
export interface CropAttributes {
  /** In the order of the manifest's keypoints. */
  keypoints?: KeypointPosition[];
  /** The ten best, or all where there are fewer; the most probable first. */
  classes?: ClassScore[];
  /** Of length 1, so that a dot product is the cosine of the angle between two. */
  embedding?: Float32Array<ArrayBuffer>;
  /** The corners of a rotated box, where the detector gives them. */
  polygon?: Polygon;
}
