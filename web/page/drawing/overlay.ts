// Draws what the model found over the picture, in CSS pixels at the screen's own resolution.

import type { AnyDetection, DetectionStyle } from "../results/detections.js";
import { anchorOnStage, drawBox } from "./draw-box.js";
import { drawLabel, type Label, overlaps, placeLabel } from "./draw-label.js";
import { drawMask } from "./draw-mask.js";
import { detectionColor } from "./drawing-style.js";
import type { Fit, Size } from "./fit.js";
import type { MaskBitmaps } from "./mask-bitmaps.js";

export interface Scene {
  detections: readonly AnyDetection[];
  masks: MaskBitmaps;
  style: DetectionStyle;
  fit: Fit;
  stage: Size;
  /** The detection that stands out, the others fading. */
  highlighted: number | null;
}

/** `ratio` is how many pixels of the canvas a CSS pixel of the stage has. */
export function drawScene(canvas: HTMLCanvasElement, scene: Scene | null, stage: Size, ratio: number): void {
  const width = Math.round(stage.width * ratio);
  const height = Math.round(stage.height * ratio);
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = canvas.getContext("2d");
  if (!context) return;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, stage.width, stage.height);
  if (scene) paintScene(context, scene);
}

/** In CSS pixels of the stage. */
export function paintScene(context: CanvasRenderingContext2D, scene: Scene): void {
  const order = drawingOrder(scene);
  for (const index of order) drawOneMask(context, scene, index);
  for (const index of order) drawOne(context, scene, index);
  context.globalAlpha = 1;
  drawLabels(context, scene);
}

/** The best detection is drawn last, the one that stands out after all. */
function drawingOrder({ detections, highlighted }: Scene): number[] {
  const order = detections.map((_, index) => index).reverse();
  if (highlighted !== null) order.sort((a, b) => Number(a === highlighted) - Number(b === highlighted));
  return order;
}

function drawOneMask(context: CanvasRenderingContext2D, scene: Scene, index: number): void {
  const one = scene.detections[index];
  const picture = scene.masks.at(index);
  if (!one || !("mask" in one) || !picture) return;
  context.globalAlpha = alphaOf(scene, index);
  drawMask(context, one.mask, picture, scene.fit);
}

function drawOne(context: CanvasRenderingContext2D, scene: Scene, index: number): void {
  const { detections, style, fit, highlighted } = scene;
  const one = detections[index];
  if (!one) return;
  const alpha = alphaOf(scene, index);
  context.globalAlpha = alpha;
  drawBox(context, one, fit, detectionColor(style, one, index), highlighted === index);
  style.draw?.(context, one, fit, alpha);
}

function alphaOf({ highlighted }: Scene, index: number): number {
  return highlighted === null || highlighted === index ? 1 : 0.2;
}

/** Best first: a label that would cover a better one is left out. */
function drawLabels(
  context: CanvasRenderingContext2D,
  { detections, style, fit, stage, highlighted }: Scene,
): void {
  if (style.labelsOnHover && highlighted === null) return;
  const placed: Label[] = [];
  for (const [index, one] of detections.entries()) {
    if (highlighted !== null && index !== highlighted) continue;
    const color = detectionColor(style, one, index);
    const label = placeLabel(context, one, anchorOnStage(fit, one), {
      stage,
      color,
      highlighted: index === highlighted,
    });
    if (!label || placed.some((other) => overlaps(label, other))) continue;
    placed.push(label);
    drawLabel(context, label);
  }
}
