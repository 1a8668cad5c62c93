// Shows people, or other objects with keypoints, and their skeletons.

import type { PoseTask } from "../../src/manifest/manifest.js";
import { anchorOnStage } from "../drawing/draw-box.js";
import { drawSkeleton } from "../drawing/draw-skeleton.js";
import { strokeWidths } from "../drawing/drawing-style.js";
import { detectionDrawing } from "../drawing/result-drawing.js";
import type { DetectionReader, DetectionStyle } from "../results/detections.js";
import { DetectionsView } from "./detections-view.js";
import type { ViewModule } from "./task-view.js";

const read: DetectionReader = (result, task) =>
  result.kind === "pose" && task.kind === "pose"
    ? { detections: result.poses, style: skeletonStyle(task) }
    : null;

export const drawing = detectionDrawing("pose", read);
export const view: ViewModule = { kind: "pose", create: () => new DetectionsView(read) };

export function skeletonStyle(task: Pick<PoseTask, "classes" | "keypoints" | "skeleton">): DetectionStyle {
  return {
    classes: task.classes,
    draw(context, one, fit, alpha) {
      if ("keypoints" in one && one.keypoints !== undefined)
        drawSkeleton(
          context,
          { keypoints: one.keypoints },
          task,
          fit,
          strokeWidths(anchorOnStage(fit, one)),
          alpha,
        );
    },
  };
}
