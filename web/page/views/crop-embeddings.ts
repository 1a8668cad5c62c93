// Shows numbered detections, each with the number of the detection with the nearest embedding.

import { detectionDrawing } from "../drawing/result-drawing.js";
import { attributeDetails, drawAttributes } from "../results/crop-attributes.js";
import type { DetectionReader } from "../results/detections.js";
import { DetectionsView } from "./detections-view.js";
import type { ViewModule } from "./task-view.js";

const read: DetectionReader = (result) => {
  if (result.kind !== "crop-embeddings") return null;
  const { detections } = result;
  const details = attributeDetails(detections);
  const shown = detections.map((one, index) => {
    const detail = details[index]?.join(", ") ?? "";
    return { ...one, mark: String(index + 1), detail };
  });
  return { detections: shown, style: { classes: [], colorByRank: true, draw: drawAttributes } };
};

export const drawing = detectionDrawing("crop-embeddings", read);
export const view: ViewModule = { kind: "crop-embeddings", create: () => new DetectionsView(read) };
