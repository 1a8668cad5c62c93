// What the stages that look at crops say of an object, each a field: a later stage keeps what those before it said.

import type { ClassScore } from "./classify/result.js";
import type { KeypointPosition } from "./pose/result.js";
import type { Polygon } from "./text-boxes/result.js";

/** What the stages of a bundle said of an object. A field is there where a stage, or the detector, gives it. */
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
