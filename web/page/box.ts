// Draws one detection's box, and its label where it does not leave the stage.

import type { Pose } from "../src/index.js";
import type { Rectangle, Size } from "./fit.js";
import { halo } from "./ink.js";

const font = '600 12px -apple-system, "Segoe UI", Roboto, "Noto Sans", Arial, sans-serif';
const chipHeight = 20;
const padding = 6;

export function drawBox(context: CanvasRenderingContext2D, box: Rectangle, lit: boolean): void {
  const radius = Math.min(6, box.width / 4, box.height / 4);
  context.beginPath();
  context.roundRect(box.x, box.y, box.width, box.height, radius);
  context.strokeStyle = halo;
  context.lineWidth = lit ? 5 : 3.5;
  context.stroke();
  context.strokeStyle = "#ffffff";
  context.lineWidth = lit ? 2.5 : 1.5;
  context.stroke();
}

/** The label and the score; on a narrow box only the score; on a tiny one only while it is lit. */
export function drawLabel(
  context: CanvasRenderingContext2D,
  pose: Pose,
  box: Rectangle,
  stage: Size,
  lit: boolean,
): void {
  context.font = font;
  const score = pose.score.toFixed(2);
  const full = `${pose.label}  ${score}`;
  const fits = (text: string) => context.measureText(text).width + 2 * padding <= box.width;
  const text = lit || fits(full) ? full : score;
  if (!lit && !fits(text)) return;
  const width = context.measureText(text).width + 2 * padding;
  const x = Math.max(2, Math.min(box.x, stage.width - width - 2));
  const y = box.y - chipHeight - 3 >= 2 ? box.y - chipHeight - 3 : Math.max(2, box.y + 4);
  context.beginPath();
  context.roundRect(x, y, width, chipHeight, 5);
  context.fillStyle = lit ? "#ffffff" : "rgb(8 10 14 / 0.78)";
  context.fill();
  context.fillStyle = lit ? "#0b0d10" : "#ffffff";
  context.textBaseline = "middle";
  context.fillText(text, x + padding, y + chipHeight / 2 + 0.5);
}
