// Shows the keypoints of crops, which are poses.

import { detectionDrawing } from "../drawing/result-drawing.js";
import { attributeDetails } from "../results/crop-attributes.js";
import { keypointsSeen } from "../results/detection-rows.js";
import type { DetectionReader } from "../results/detections.js";
import { DetectionsView } from "./detections-view.js";
import { skeletonStyle } from "./pose.js";
import type { ViewModule } from "./task-view.js";

const read: DetectionReader = (result, task) => {
  if (result.kind !== "pose" || task.kind !== "keypoints") return null;
  const details = attributeDetails(result.poses);
  const detections = result.poses.map((one, index) => {
    const detail = [keypointsSeen(one), ...(details[index] ?? [])].join(", ");
    return { ...one, detail };
  });
  return { detections, style: skeletonStyle(task) };
};

export const drawing = detectionDrawing("keypoints", read);
export const view: ViewModule = { kind: "keypoints", create: () => new DetectionsView(read) };
