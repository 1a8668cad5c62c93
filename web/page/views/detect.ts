// Shows objects in boxes.

import { detectionDrawing } from "../drawing/result-drawing.js";
import type { DetectionReader } from "../results/detections.js";
import { DetectionsView } from "./detections-view.js";
import type { ViewModule } from "./task-view.js";

const read: DetectionReader = (result, task) =>
  result.kind === "detect" && task.kind === "detect"
    ? { detections: result.detections, style: { classes: task.classes } }
    : null;

export const drawing = detectionDrawing("detect", read);
export const view: ViewModule = { kind: "detect", create: () => new DetectionsView(read) };
