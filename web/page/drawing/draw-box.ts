// Draws a detection's box, upright or rotated.

import type { AnyDetection } from "../results/detections.js";
import { cornersOf, sidesOf } from "./corners.js";
import { defaultColor, halo } from "./drawing-style.js";
import { boxToStage, type Fit, type Rectangle, toStage } from "./fit.js";

/** Returns the rectangle for the label's place and the line width; for a rotated box, it starts at the highest corner. */
export function anchorOnStage(fit: Fit, one: AnyDetection): Rectangle {
  const corners = cornersOf(one);
  if (corners === null) return boxToStage(fit, one.box);
  const [x, y] = corners
    .map((corner) => toStage(fit, corner.x, corner.y))
    .reduce((best, corner) => (corner[1] < best[1] ? corner : best));
  const [width, height] = sidesOf(corners);
  return { x, y, width: width * fit.scale, height: height * fit.scale };
}

/** Draws a box on a dark halo, thinner for a small box: white without a colour, wider with a colour. */
export function drawBox(
  context: CanvasRenderingContext2D,
  one: AnyDetection,
  fit: Fit,
  color: string | null,
  highlighted: boolean,
): void {
  const { width, height } = anchorOnStage(fit, one);
  const fine = Math.min(width, height) < 120 ? 1 : 1.5;
  const line = highlighted ? 2.5 : color === null ? fine : fine + 0.5;
  trace(context, one, fit);
  context.lineJoin = "round";
  context.strokeStyle = halo;
  context.lineWidth = line + 1.75;
  context.stroke();
  context.strokeStyle = color ?? defaultColor;
  context.lineWidth = line;
  context.stroke();
}

function trace(context: CanvasRenderingContext2D, one: AnyDetection, fit: Fit): void {
  context.beginPath();
  const corners = cornersOf(one);
  if (corners !== null) {
    for (const { x, y } of corners) context.lineTo(...toStage(fit, x, y));
    context.closePath();
    return;
  }
  const { x, y, width, height } = boxToStage(fit, one.box);
  context.roundRect(x, y, width, height, Math.min(6, width / 4, height / 4));
}
