// Shows what a detector found, and for each object which of the others its vector is nearest to.

import type { CropEmbeddingsResult, EmbeddedDetection } from "../../src/index.js";
import { detectionDrawing } from "../drawing/result-drawing.js";
import type { ReadDetections } from "../results/detections.js";
import { DetectionsView } from "./detections-view.js";
import type { ViewModule } from "./task-view.js";

/** Objects up to which each is compared with all others. */
const MOST_COMPARED = 200;

const read: ReadDetections = (result) => {
  if (result.kind !== "crop-embeddings") return null;
  const detections = result.detections.map((one, index) => ({ ...one, detail: nearest(result, one, index) }));
  return { detections, style: { classes: [], colorByRank: true } };
};

function nearest({ detections }: CropEmbeddingsResult, one: EmbeddedDetection, index: number): string {
  if (detections.length < 2 || detections.length > MOST_COMPARED) return "";
  const cosines = detections.map((other, at) => (at === index ? -2 : dot(one.embedding, other.embedding)));
  const best = cosines.reduce((found, cosine, at) => (cosine > (cosines[found] ?? 0) ? at : found), 0);
  return `most like ${best + 1}, cosine ${(cosines[best] ?? Number.NaN).toFixed(2)}`;
}

function dot(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}

export const drawing = detectionDrawing("crop-embeddings", read);
export const view: ViewModule = { kind: "crop-embeddings", create: () => new DetectionsView(read) };
