// Attributes that stages of crops gave detections (keypoints, classes, embeddings), as text of the list and as drawing.

import type { CropAttributes } from "../../src/index.js";
import { anchorOnStage } from "../drawing/draw-box.js";
import { drawSkeleton } from "../drawing/draw-skeleton.js";
import { strokeWidths } from "../drawing/drawing-style.js";
import type { DetectionStyle } from "./detections.js";
import { nearestVectors } from "./nearest-vectors.js";

/** Objects up to which each is compared with all others. */
const MAX_COMPARED = 200;

/** The best class of each object, and which of the others its vector is nearest to. */
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

/** Draws the keypoints that an earlier stage, or the detector, gave an object. */
export const drawAttributes: NonNullable<DetectionStyle["draw"]> = (context, one, fit, alpha) => {
  if (!("keypoints" in one) || one.keypoints === undefined) return;
  const { keypoints } = one;
  const named = keypoints.map(({ name }) => ({ name, side: "middle" as const }));
  const pen = strokeWidths(anchorOnStage(fit, one));
  drawSkeleton(context, { keypoints }, { keypoints: named, skeleton: [] }, fit, pen, alpha);
};
