// What a run found, whichever task of detections the model has. Only a pose model's have keypoints.

import type { Detection, DetectResult, Pose, PoseResult } from "../src/index.js";
import type { DetectTask, PoseTask } from "../src/manifest.js";

export type Found = Detection | Pose;
export type FindingTask = DetectTask | PoseTask;
export type FindingResult = DetectResult | PoseResult;

export function foundIn(result: FindingResult): readonly Found[] {
  switch (result.kind) {
    case "detect":
      return result.detections;
    case "pose":
      return result.poses;
    default:
      return result satisfies never;
  }
}
