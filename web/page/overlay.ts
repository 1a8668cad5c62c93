// Draws what the model found over the picture, in CSS pixels at the screen's own resolution.

import type { Pose } from "../src/index.js";
import type { PoseTask } from "../src/manifest.js";
import { drawBox } from "./box.js";
import { boxOnStage, type Fit, type Size } from "./fit.js";
import { penFor } from "./ink.js";
import { drawLabel, type Label, overlaps, placeLabel } from "./label.js";
import { drawSkeleton } from "./skeleton.js";

export interface Scene {
  poses: readonly Pose[];
  task: PoseTask;
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
  if (scene) drawPoses(context, scene);
}

function drawPoses(context: CanvasRenderingContext2D, { poses, task, fit, stage, lit }: Scene): void {
  // The best detection is drawn last, the one that stands out after all.
  const order = poses.map((_, index) => index).reverse();
  if (lit !== null) order.sort((a, b) => Number(a === lit) - Number(b === lit));
  for (const index of order) {
    const pose = poses[index];
    if (!pose) continue;
    const alpha = lit === null || lit === index ? 1 : 0.2;
    const box = boxOnStage(fit, pose.box);
    context.globalAlpha = alpha;
    drawBox(context, box, lit === index);
    drawSkeleton(context, pose, task, fit, penFor(box), alpha);
  }
  drawLabels(context, poses, fit, stage, lit);
}

/** Best first: a label that would cover a better one is left out. */
function drawLabels(
  context: CanvasRenderingContext2D,
  poses: readonly Pose[],
  fit: Fit,
  stage: Size,
  lit: number | null,
): void {
  const placed: Label[] = [];
  for (const [index, pose] of poses.entries()) {
    if (lit !== null && index !== lit) continue;
    const label = placeLabel(context, pose, boxOnStage(fit, pose.box), stage, index === lit);
    if (!label || placed.some((other) => overlaps(label, other))) continue;
    placed.push(label);
    drawLabel(context, label, index === lit);
  }
}
