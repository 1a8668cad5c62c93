// What a run found, whichever task of detections the model has. Keypoints, masks and turned boxes are some tasks' only.

import type {
  Detection,
  DetectResult,
  ObbResult,
  OrientedObject,
  Pose,
  PoseResult,
  Result,
  Segment,
  SegmentResult,
} from "../src/index.js";
import type { DetectTask, ObbTask, PoseTask, SegmentTask } from "../src/manifest.js";

export type Found = Detection | Pose | Segment | OrientedObject;
export type FindingTask = DetectTask | PoseTask | SegmentTask | ObbTask;
export type FindingResult = DetectResult | PoseResult | SegmentResult | ObbResult;

export function isFinding(result: Result): result is FindingResult {
  return result.kind !== "tensor" && result.kind !== "classify" && result.kind !== "depth";
}

export function foundIn(result: FindingResult): readonly Found[] {
  switch (result.kind) {
    case "detect":
      return result.detections;
    case "pose":
      return result.poses;
    case "segment":
      return result.segments;
    case "obb":
      return result.objects;
    default:
      return result satisfies never;
  }
}
