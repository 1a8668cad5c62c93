// Draws detections on the overlay canvas: masks, boxes, then labels. Coordinates are CSS pixels of the stage.

import type { AnyDetection, DetectionStyle } from "../results/detections.js";
import { anchorOnStage, drawBox } from "./draw-box.js";
import { drawLabel, type Label, overlaps, placeLabel } from "./draw-label.js";
import { drawMask } from "./draw-mask.js";
import { detectionColor } from "./drawing-style.js";
import type { Fit, Size } from "./fit.js";
import type { MaskBitmaps } from "./mask-bitmaps.js";

/** The content of the overlay. */
export interface OverlayContent {
  detections: readonly AnyDetection[];
  masks: MaskBitmaps;
  style: DetectionStyle;
  fit: Fit;
  stage: Size;
  /** The index of the highlighted detection; the others fade. */
  highlighted: number | null;
}

/** Clears the canvas and draws on it. `ratio` is the device pixel ratio: canvas pixels per CSS pixel. */
export function drawOverlay(
  canvas: HTMLCanvasElement,
  scene: OverlayContent | null,
  stage: Size,
  ratio: number,
): void {
  const width = Math.round(stage.width * ratio);
  const height = Math.round(stage.height * ratio);
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = canvas.getContext("2d");
  if (!context) return;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, stage.width, stage.height);
  if (scene) paintOverlay(context, scene);
}

/** Draws on a context whose unit is a CSS pixel of the stage. */
export function paintOverlay(context: CanvasRenderingContext2D, scene: OverlayContent): void {
  const order = drawingOrder(scene);
  for (const index of order) drawDetectionMask(context, scene, index);
  for (const index of order) drawDetection(context, scene, index);
  context.globalAlpha = 1;
  drawLabels(context, scene);
}

/** The drawing order: worst to best, the highlighted one last. */
function drawingOrder({ detections, highlighted }: OverlayContent): number[] {
  const order = detections.map((_, index) => index).reverse();
  if (highlighted !== null) order.sort((a, b) => Number(a === highlighted) - Number(b === highlighted));
  return order;
}

function drawDetectionMask(context: CanvasRenderingContext2D, scene: OverlayContent, index: number): void {
  const one = scene.detections[index];
  const picture = scene.masks.at(index);
  if (!one || !("mask" in one) || !picture) return;
  context.globalAlpha = alphaOf(scene, index);
  drawMask(context, one.mask, picture, scene.fit);
}

function drawDetection(context: CanvasRenderingContext2D, scene: OverlayContent, index: number): void {
  const { detections, style, fit, highlighted } = scene;
  const one = detections[index];
  if (!one) return;
  const alpha = alphaOf(scene, index);
  context.globalAlpha = alpha;
  drawBox(context, one, fit, detectionColor(style, one, index), highlighted === index);
  style.draw?.(context, one, fit, alpha);
}

function alphaOf({ highlighted }: OverlayContent, index: number): number {
  return highlighted === null || highlighted === index ? 1 : 0.2;
}

/** Draws labels, best first: a label that would cover a better one is left out. */
function drawLabels(
  context: CanvasRenderingContext2D,
  { detections, style, fit, stage, highlighted }: OverlayContent,
): void {
  if (style.labelsOnHover && highlighted === null) return;
  const drawnLabels: Label[] = [];
  for (const [index, one] of detections.entries()) {
    if (highlighted !== null && index !== highlighted) continue;
    const color = detectionColor(style, one, index);
    const label = placeLabel(context, one, anchorOnStage(fit, one), {
      stage,
      color,
      highlighted: index === highlighted,
    });
    if (!label || drawnLabels.some((other) => overlaps(label, other))) continue;
    drawnLabels.push(label);
    drawLabel(context, label);
  }
}
