// Attributes of detections from later stages (keypoints, classes, embeddings), as text in the list and as a drawing.

import type { CropAttributes } from "../../src/index.js";
import { anchorOnStage } from "../drawing/draw-box.js";
import { drawSkeleton } from "../drawing/draw-skeleton.js";
import { strokeWidths } from "../drawing/drawing-style.js";
import type { DetectionStyle } from "./detections.js";
import { nearestVectors } from "./nearest-vectors.js";

/** The most objects for which each is compared with all others. */
const MAX_COMPARED = 200;

/** Returns the best class of each object, and the number of the object with the nearest embedding. */
export function attributeDetails(objects: readonly CropAttributes[]): string[][] {
  const vectors = objects.map(({ embedding }) => embedding).filter((each) => each !== undefined);
  const nearest = vectors.length <= MAX_COMPARED ? nearestVectors(vectors) : [];
  return objects.map(({ classes: [best] = [] }, index) => {
    const other = nearest[index];
    return [
      ...(best === undefined ? [] : [`${best.label} ${best.score.toFixed(2)}`]),
      ...(other === undefined ? [] : [`like ${other.at + 1}: ${other.cosine.toFixed(2)}`]),
    ];
  });
}

/** Draws the keypoints of an object, from an earlier stage or the detector. */
export const drawAttributes: NonNullable<DetectionStyle["draw"]> = (context, one, fit, alpha) => {
  if (!("keypoints" in one) || one.keypoints === undefined) return;
  const { keypoints } = one;
  const named = keypoints.map(({ name }) => ({ name, side: "middle" as const }));
  const pen = strokeWidths(anchorOnStage(fit, one));
  drawSkeleton(context, { keypoints }, { keypoints: named, skeleton: [] }, fit, pen, alpha);
};
