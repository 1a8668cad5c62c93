// Draws a detection's box, upright or turned.

import type { AnyDetection } from "../results/detections.js";
import { defaultColor, halo } from "./drawing-style.js";
import { boxOnStage, type Fit, onStage, type Rectangle } from "./fit.js";

/** Where a label and the width of lines are measured: of a turned box from its highest corner on. */
export function anchorOnStage(fit: Fit, one: AnyDetection): Rectangle {
  const box = boxOnStage(fit, one.box);
  if (!("corners" in one)) return box;
  const corners = one.corners.map((corner) => onStage(fit, corner.x, corner.y));
  const [x, y] = corners.reduce((best, corner) => (corner[1] < best[1] ? corner : best));
  return { x, y, width: one.width * fit.scale, height: one.height * fit.scale };
}

/** On a dark halo, finer on a small box. White where the detections have no colours; a colour needs some width. */
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
  if ("corners" in one) {
    for (const { x, y } of one.corners) context.lineTo(...onStage(fit, x, y));
    context.closePath();
    return;
  }
  const { x, y, width, height } = boxOnStage(fit, one.box);
  context.roundRect(x, y, width, height, Math.min(6, width / 4, height / 4));
}
