// Shows what a detector found, each object as the class that the second model gives it.

import { detectionDrawing } from "../drawing/result-drawing.js";
import { drawSaid, saidDetails } from "../results/crop-attributes.js";
import type { ReadDetections } from "../results/detections.js";
import { DetectionsView } from "./detections-view.js";
import type { ViewModule } from "./task-view.js";

const read: ReadDetections = (result, task) => {
  if (result.kind !== "crop-classes" || task.kind !== "crop-classes") return null;
  const said = saidDetails(result.detections.map(({ embedding }) => (embedding ? { embedding } : {})));
  const detections = result.detections.map(({ box, label, score, classes: [best], keypoints }, index) => ({
    box,
    label: best?.label ?? label,
    score: best?.score ?? score,
    classIndex: best?.classIndex ?? 0,
    detail: [`${label} ${score.toFixed(2)}`, ...(said[index] ?? [])].join(", "),
    keypoints,
  }));
  return { detections, style: { classes: task.classes, draw: drawSaid } };
};

export const drawing = detectionDrawing("crop-classes", read);
export const view: ViewModule = { kind: "crop-classes", create: () => new DetectionsView(read) };
