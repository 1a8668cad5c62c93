// Shows the keypoints of crops, which are poses.

import { detectionDrawing } from "../drawing/result-drawing.js";
import type { ReadDetections } from "../results/detections.js";
import { DetectionsView } from "./detections-view.js";
import { skeletonStyle } from "./pose.js";
import type { ViewModule } from "./task-view.js";

const read: ReadDetections = (result, task) =>
  result.kind === "pose" && task.kind === "keypoints"
    ? { detections: result.poses, style: skeletonStyle(task) }
    : null;

export const drawing = detectionDrawing("keypoints", read);
export const view: ViewModule = { kind: "keypoints", create: () => new DetectionsView(read) };
