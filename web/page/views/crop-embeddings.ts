// Shows what a detector found, numbered, and for each object which of the others its vector is nearest to.

import { detectionDrawing } from "../drawing/result-drawing.js";
import type { ReadDetections } from "../results/detections.js";
import { nearestVectors } from "../results/nearest-vectors.js";
import { DetectionsView } from "./detections-view.js";
import type { ViewModule } from "./task-view.js";

/** Objects up to which each is compared with all others. */
const MOST_COMPARED = 200;

const read: ReadDetections = (result) => {
  if (result.kind !== "crop-embeddings") return null;
  const { detections } = result;
  const compared = detections.length <= MOST_COMPARED ? detections : [];
  const nearest = nearestVectors(compared.map(({ embedding }) => embedding));
  const shown = detections.map((one, index) => {
    const other = nearest[index];
    const detail = other === undefined ? "" : `like ${other.at + 1}: ${other.cosine.toFixed(2)}`;
    return { ...one, mark: String(index + 1), detail };
  });
  return { detections: shown, style: { classes: [], colorByRank: true } };
};

export const drawing = detectionDrawing("crop-embeddings", read);
export const view: ViewModule = { kind: "crop-embeddings", create: () => new DetectionsView(read) };
