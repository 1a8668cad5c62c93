// People and their keypoints.

import type { RunResult } from "../../api/run-result.js";
import type { CropAttributes } from "../crop-attributes.js";
import type { Detection } from "../detect/result.js";

/** People, or other objects, with their keypoints. */
export interface PoseResult extends RunResult {
  kind: "pose";
  poses: Pose[];
}

/** A person, or another object with keypoints. */
export interface Pose extends Detection, CropAttributes {
  /** In the order of the manifest's keypoints. */
  keypoints: KeypointPosition[];
}

/** A keypoint in pixels of the picture. */
export interface KeypointPosition {
  name: string;
  x: number;
  y: number;
  /** 1 if the model has no confidence of keypoints. */
  confidence: number;
}
