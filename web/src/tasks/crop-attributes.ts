// The attributes that stages of crops add to a detection, one field each. A later stage keeps the attributes
// of earlier ones.

import type { ClassScore } from "./classify/result.js";
import type { KeypointPosition } from "./pose/result.js";
import type { Polygon } from "./text-boxes/result.js";

/**
 * Attributes of a detection, from the stages that take crops. A field is set if a stage or the detector
 * provides it.
 */
export interface CropAttributes {
  /** In the order of the manifest's keypoints. */
  keypoints?: KeypointPosition[];
  /** The ten most probable, or all if there are fewer; the most probable first. */
  classes?: ClassScore[];
  /** Of length 1, so that the dot product of two is their cosine similarity. */
  embedding?: Float32Array<ArrayBuffer>;
  /** The corners of a rotated box, if the detector provides them. */
  polygon?: Polygon;
}
