// Shows instance segmentation: each object has its own colour, also within a class.

import { detectionDrawing } from "../drawing/result-drawing.js";
import type { DetectionReader } from "../results/detections.js";
import { DetectionsView } from "./detections-view.js";
import type { ViewModule } from "./task-view.js";

const read: DetectionReader = (result, task) =>
  result.kind === "segment" && task.kind === "segment"
    ? { detections: result.segments, style: { classes: task.classes, colorByRank: true } }
    : null;

export const drawing = detectionDrawing("segment", read);
export const view: ViewModule = { kind: "segment", create: () => new DetectionsView(read) };
