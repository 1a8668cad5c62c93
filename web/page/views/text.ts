// Shows the lines of text in a picture, each in its rotated box.

import { detectionDrawing } from "../drawing/result-drawing.js";
import type { ReadDetections } from "../results/detections.js";
import { DetectionsView } from "./detections-view.js";
import type { ViewModule } from "./task-view.js";

const read: ReadDetections = (result) =>
  result.kind === "text"
    ? {
        detections: result.lines.map((line) => ({ ...line, label: line.text, classIndex: 0 })),
        style: { classes: [] },
      }
    : null;

export const drawing = detectionDrawing("text", read);
export const view: ViewModule = { kind: "text", create: () => new DetectionsView(read) };
