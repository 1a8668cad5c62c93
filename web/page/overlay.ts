// Draws what the model found over the picture, in CSS pixels at the screen's own resolution.

import { anchorOnStage, drawBox } from "./box.js";
import type { Fit, Size } from "./fit.js";
import type { FindingTask, Found } from "./found.js";
import { foundColor, penFor } from "./ink.js";
import { drawLabel, type Label, overlaps, placeLabel } from "./label.js";
import { drawMask } from "./mask.js";
import type { MaskPictures } from "./mask-pictures.js";
import { drawSkeleton } from "./skeleton.js";

export interface Scene {
  found: readonly Found[];
  masks: MaskPictures;
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
  if (!scene) return;
  const order = drawingOrder(scene);
  for (const index of order) drawOneMask(context, scene, index);
  for (const index of order) drawOne(context, scene, index);
  context.globalAlpha = 1;
  drawLabels(context, scene);
}

/** The best detection is drawn last, the one that stands out after all. */
function drawingOrder({ found, lit }: Scene): number[] {
  const order = found.map((_, index) => index).reverse();
  if (lit !== null) order.sort((a, b) => Number(a === lit) - Number(b === lit));
  return order;
}

function drawOneMask(context: CanvasRenderingContext2D, scene: Scene, index: number): void {
  const one = scene.found[index];
  const picture = scene.masks.at(index);
  if (!one || !("mask" in one) || !picture) return;
  context.globalAlpha = alphaOf(scene, index);
  drawMask(context, one.mask, picture, scene.fit);
}

function drawOne(context: CanvasRenderingContext2D, scene: Scene, index: number): void {
  const { found, task, fit, lit } = scene;
  const one = found[index];
  if (!one) return;
  const alpha = alphaOf(scene, index);
  context.globalAlpha = alpha;
  drawBox(context, one, fit, foundColor(task, one, index), lit === index);
  if (task.kind === "pose" && "keypoints" in one)
    drawSkeleton(context, one, task, fit, penFor(anchorOnStage(fit, one)), alpha);
}

function alphaOf({ lit }: Scene, index: number): number {
  return lit === null || lit === index ? 1 : 0.2;
}

/** Best first: a label that would cover a better one is left out. */
function drawLabels(context: CanvasRenderingContext2D, { found, task, fit, stage, lit }: Scene): void {
  const placed: Label[] = [];
  for (const [index, one] of found.entries()) {
    if (lit !== null && index !== lit) continue;
    const color = foundColor(task, one, index);
    const label = placeLabel(context, one, anchorOnStage(fit, one), { stage, color, lit: index === lit });
    if (!label || placed.some((other) => overlaps(label, other))) continue;
    placed.push(label);
    drawLabel(context, label);
  }
}
