// Shows detections, each labelled with its class from the classifier of a later stage.

import { detectionDrawing } from "../drawing/result-drawing.js";
import { attributeDetails, drawAttributes } from "../results/crop-attributes.js";
import type { DetectionReader } from "../results/detections.js";
import { DetectionsView } from "./detections-view.js";
import type { ViewModule } from "./task-view.js";

const read: DetectionReader = (result, task) => {
  if (result.kind !== "crop-classes" || task.kind !== "crop-classes") return null;
  const details = attributeDetails(
    result.detections.map(({ embedding }) => (embedding ? { embedding } : {})),
  );
  const detections = result.detections.map(({ box, label, score, classes: [best], keypoints }, index) => ({
    box,
    label: best?.label ?? label,
    score: best?.score ?? score,
    classIndex: best?.classIndex ?? 0,
    detail: [`${label} ${score.toFixed(2)}`, ...(details[index] ?? [])].join(", "),
    keypoints,
  }));
  return { detections, style: { classes: task.classes, draw: drawAttributes } };
};

export const drawing = detectionDrawing("crop-classes", read);
export const view: ViewModule = { kind: "crop-classes", create: () => new DetectionsView(read) };
