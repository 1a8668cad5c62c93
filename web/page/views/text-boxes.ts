// Shows text boxes.

import { detectionDrawing } from "../drawing/result-drawing.js";
import type { DetectionReader } from "../results/detections.js";
import { DetectionsView } from "./detections-view.js";
import type { ViewModule } from "./task-view.js";

const read: DetectionReader = (result) =>
  result.kind === "text-boxes"
    ? { detections: result.detections, style: { classes: [], labelsOnHover: true } }
    : null;

export const drawing = detectionDrawing("text-boxes", read);
export const view: ViewModule = { kind: "text-boxes", create: () => new DetectionsView(read) };
