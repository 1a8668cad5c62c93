// What a run found, whichever task of detections the model has. Keypoints, masks and turned boxes are some tasks' only.

import type {
  Detection,
  DetectResult,
  Model,
  ObbResult,
  OrientedObject,
  PhrasesResult,
  Pose,
  PoseResult,
  Result,
  Segment,
  SegmentResult,
} from "../src/index.js";
import type { DetectTask, ObbTask, PoseTask, SegmentTask } from "../src/manifest.js";

export type Found = Detection | Pose | Segment | OrientedObject;
export type FindingTask = DetectTask | PoseTask | SegmentTask | ObbTask;
export type FindingResult = DetectResult | PhrasesResult | PoseResult | SegmentResult | ObbResult;

export function isFinding(result: Result): result is FindingResult {
  return ["detect", "phrases", "pose", "segment", "obb"].includes(result.kind);
}

/** What the list and the stage need of the task. The classes of a prompt are its phrases. */
export function taskOf(result: FindingResult, { manifest: { task } }: Model): FindingTask | null {
  if (result.kind === "phrases")
    return task.kind === "phrases"
      ? { kind: "detect", output: task.output, rows: task.queries, classes: result.phrases }
      : null;
  return task.kind === result.kind ? (task as FindingTask) : null;
}

export function foundIn(result: FindingResult): readonly Found[] {
  switch (result.kind) {
    case "detect":
    case "phrases":
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
