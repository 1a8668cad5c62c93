// Shows what a detector found, numbered, and for each object which of the others its vector is nearest to.

import { detectionDrawing } from "../drawing/result-drawing.js";
import { drawSaid, saidDetails } from "../results/crop-attributes.js";
import type { ReadDetections } from "../results/detections.js";
import { DetectionsView } from "./detections-view.js";
import type { ViewModule } from "./task-view.js";

const read: ReadDetections = (result) => {
  if (result.kind !== "crop-embeddings") return null;
  const { detections } = result;
  const said = saidDetails(detections);
  const shown = detections.map((one, index) => {
    const detail = said[index]?.join(", ") ?? "";
    return { ...one, mark: String(index + 1), detail };
  });
  return { detections: shown, style: { classes: [], colorByRank: true, draw: drawSaid } };
};

export const drawing = detectionDrawing("crop-embeddings", read);
export const view: ViewModule = { kind: "crop-embeddings", create: () => new DetectionsView(read) };
