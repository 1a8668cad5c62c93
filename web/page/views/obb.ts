// Shows objects in rotated boxes.

import { detectionDrawing } from "../drawing/result-drawing.js";
import type { DetectionReader } from "../results/detections.js";
import { DetectionsView } from "./detections-view.js";
import type { ViewModule } from "./task-view.js";

const read: DetectionReader = (result, task) =>
  result.kind === "obb" && task.kind === "obb"
    ? { detections: result.objects, style: { classes: task.classes } }
    : null;

export const drawing = detectionDrawing("obb", read);
export const view: ViewModule = { kind: "obb", create: () => new DetectionsView(read) };
