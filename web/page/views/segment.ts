// Shows objects and the pixels of each. Masks of one class are to be told apart all the same.

import { detectionDrawing } from "../drawing/result-drawing.js";
import type { ReadDetections } from "../results/detections.js";
import { DetectionsView } from "./detections-view.js";
import type { ViewModule } from "./task-view.js";

const read: ReadDetections = (result, task) =>
  result.kind === "segment" && task.kind === "segment"
    ? { detections: result.segments, style: { classes: task.classes, colorByRank: true } }
    : null;

export const drawing = detectionDrawing("segment", read);
export const view: ViewModule = { kind: "segment", create: () => new DetectionsView(read) };
