// Draws an object's prompt: its clicks, with a plus or a minus, and its box.

import type { Box } from "../../src/index.js";
import type { Click, PromptedObject } from "../input/prompted-objects.js";
import { boxToStage, type Fit, toStage } from "./fit.js";

const radius = 8;
const sign = 4;

export function drawPrompt(
  context: CanvasRenderingContext2D,
  fit: Fit,
  { clicks, box }: Omit<PromptedObject, "id">,
): void {
  if (box !== null) drawPromptBox(context, fit, box);
  for (const click of clicks) drawClick(context, fit, click);
}

export function drawPromptBox(context: CanvasRenderingContext2D, fit: Fit, box: Box): void {
  const { x, y, width, height } = boxToStage(fit, box);
  context.beginPath();
  context.rect(x, y, width, height);
  strokeTwice(context);
}

/** Strokes white on black, visible on any picture. */
export function strokeTwice(context: CanvasRenderingContext2D): void {
  for (const [color, width] of [
    ["#000000", 4],
    ["#ffffff", 2],
  ] as const) {
    context.strokeStyle = color;
    context.lineWidth = width;
    context.stroke();
  }
}

function drawClick(context: CanvasRenderingContext2D, fit: Fit, { x, y, label }: Click): void {
  const [left, top] = toStage(fit, x, y);
  context.beginPath();
  context.arc(left, top, radius, 0, 2 * Math.PI);
  context.fillStyle = label === 1 ? "#ffffff" : "#c02626";
  context.fill();
  context.lineWidth = 1.5;
  context.strokeStyle = "#101010";
  context.stroke();
  context.beginPath();
  context.moveTo(left - sign, top);
  context.lineTo(left + sign, top);
  if (label === 1) {
    context.moveTo(left, top - sign);
    context.lineTo(left, top + sign);
  }
  context.lineWidth = 2;
  context.strokeStyle = label === 1 ? "#101010" : "#ffffff";
  context.stroke();
}
