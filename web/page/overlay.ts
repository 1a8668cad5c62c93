// Draws what the model found over the picture, in CSS pixels at the screen's own resolution.

import { drawBox } from "./box.js";
import { boxOnStage, type Fit, type Size } from "./fit.js";
import type { FindingTask, Found } from "./found.js";
import { classColor, penFor } from "./ink.js";
import { drawLabel, type Label, overlaps, placeLabel } from "./label.js";
import { drawSkeleton } from "./skeleton.js";

export interface Scene {
  found: readonly Found[];
  task: FindingTask;
  fit: Fit;
  stage: Size;
  /** The detection that stands out, the others fading. */
  lit: number | null;
}

export function drawScene(canvas: HTMLCanvasElement, scene: Scene | null, stage: Size): void {
  const ratio = window.devicePixelRatio || 1;
  const width = Math.round(stage.width * ratio);
  const height = Math.round(stage.height * ratio);
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = canvas.getContext("2d");
  if (!context) return;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, stage.width, stage.height);
  if (scene) drawFound(context, scene);
}

function drawFound(context: CanvasRenderingContext2D, scene: Scene): void {
  const { found, task, fit, lit } = scene;
  // The best detection is drawn last, the one that stands out after all.
  const order = found.map((_, index) => index).reverse();
  if (lit !== null) order.sort((a, b) => Number(a === lit) - Number(b === lit));
  for (const index of order) {
    const one = found[index];
    if (!one) continue;
    const alpha = lit === null || lit === index ? 1 : 0.2;
    const box = boxOnStage(fit, one.box);
    context.globalAlpha = alpha;
    drawBox(context, box, classColor(task.classes, one.classIndex), lit === index);
    if (task.kind === "pose" && "keypoints" in one) drawSkeleton(context, one, task, fit, penFor(box), alpha);
  }
  context.globalAlpha = 1;
  drawLabels(context, scene);
}

/** Best first: a label that would cover a better one is left out. */
function drawLabels(context: CanvasRenderingContext2D, { found, task, fit, stage, lit }: Scene): void {
  const placed: Label[] = [];
  for (const [index, one] of found.entries()) {
    if (lit !== null && index !== lit) continue;
    const color = classColor(task.classes, one.classIndex);
    const label = placeLabel(context, one, boxOnStage(fit, one.box), { stage, color, lit: index === lit });
    if (!label || placed.some((other) => overlaps(label, other))) continue;
    placed.push(label);
    drawLabel(context, label);
  }
}
