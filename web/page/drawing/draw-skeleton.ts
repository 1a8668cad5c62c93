// Draws one person's skeleton: limbs first, joints over them, each with a dark halo.

import type { Pose } from "../../src/index.js";
import type { PoseTask } from "../../src/manifest/manifest.js";
import { halo, limbSide, type Side, type StrokeWidths, sideColors, visibility } from "./drawing-style.js";
import { type Fit, toStage } from "./fit.js";

interface Joint {
  x: number;
  y: number;
  side: Side;
  alpha: number;
}

export function drawSkeleton(
  context: CanvasRenderingContext2D,
  { keypoints }: Pick<Pose, "keypoints">,
  task: Pick<PoseTask, "keypoints" | "skeleton">,
  fit: Fit,
  pen: StrokeWidths,
  alpha: number,
): void {
  const joints = task.keypoints.map(({ side }, index): Joint | null => {
    const keypoint = keypoints[index];
    if (!keypoint) return null;
    const [x, y] = toStage(fit, keypoint.x, keypoint.y);
    return { x, y, side, alpha: alpha * visibility(keypoint.confidence) };
  });
  for (const [from, to] of task.skeleton) {
    const a = joints[from];
    const b = joints[to];
    if (a && b) drawLimb(context, a, b, pen);
  }
  const seen = joints.filter((joint): joint is Joint => joint !== null && joint.alpha > 0.02);
  for (const joint of seen) drawJoint(context, joint, jointRadius(joint, seen, pen), pen);
}

function drawLimb(context: CanvasRenderingContext2D, a: Joint, b: Joint, pen: StrokeWidths): void {
  const alpha = Math.min(a.alpha, b.alpha);
  if (alpha < 0.02) return;
  const width = Math.min(pen.limb, Math.max(1, distance(a, b) / 5));
  context.globalAlpha = alpha;
  context.lineCap = "round";
  context.beginPath();
  context.moveTo(a.x, a.y);
  context.lineTo(b.x, b.y);
  context.strokeStyle = halo;
  context.lineWidth = width + 2 * pen.halo;
  context.stroke();
  context.strokeStyle = sideColors[limbSide(a.side, b.side)];
  context.lineWidth = width;
  context.stroke();
}

/** Returns a joint's radius: joints that are close together, as in a small face, are small enough not to overlap. */
function jointRadius(joint: Joint, joints: readonly Joint[], pen: StrokeWidths): number {
  const nearest = Math.min(
    ...joints.filter((other) => other !== joint).map((other) => distance(joint, other)),
  );
  return Math.min(pen.joint, Math.max(1.25, nearest / 3.5));
}

function distance(a: Joint, b: Joint): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function drawJoint(context: CanvasRenderingContext2D, joint: Joint, radius: number, pen: StrokeWidths): void {
  context.globalAlpha = joint.alpha;
  fillCircle(context, joint, radius + pen.halo, halo);
  fillCircle(context, joint, radius, sideColors[joint.side]);
}

function fillCircle(context: CanvasRenderingContext2D, { x, y }: Joint, radius: number, color: string): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = color;
  context.fill();
}
