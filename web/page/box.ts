// Draws a detection's box.

import type { Rectangle } from "./fit.js";
import { halo, plain } from "./ink.js";

/** On a dark halo, finer on a small box. White where the classes have no colours; a colour needs some width. */
export function drawBox(
  context: CanvasRenderingContext2D,
  box: Rectangle,
  color: string | null,
  lit: boolean,
): void {
  const fine = Math.min(box.width, box.height) < 120 ? 1 : 1.5;
  const line = lit ? 2.5 : color === null ? fine : fine + 0.5;
  const radius = Math.min(6, box.width / 4, box.height / 4);
  context.beginPath();
  context.roundRect(box.x, box.y, box.width, box.height, radius);
  context.strokeStyle = halo;
  context.lineWidth = line + 1.75;
  context.stroke();
  context.strokeStyle = color ?? plain;
  context.lineWidth = line;
  context.stroke();
}
