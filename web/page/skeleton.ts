// Draws one person's skeleton: limbs first, joints over them, each with a dark halo.

import type { Pose } from "../src/index.js";
import type { PoseTask } from "../src/manifest.js";
import { type Fit, onStage } from "./fit.js";
import { halo, limbSide, type Pen, type Side, sideColors, visibility } from "./ink.js";

interface Joint {
  x: number;
  y: number;
  side: Side;
  alpha: number;
}

export function drawSkeleton(
  context: CanvasRenderingContext2D,
  pose: Pose,
  task: PoseTask,
  fit: Fit,
  pen: Pen,
  alpha: number,
): void {
  const joints = task.keypoints.map(({ side }, index): Joint | null => {
    const keypoint = pose.keypoints[index];
    if (!keypoint) return null;
    const [x, y] = onStage(fit, keypoint.x, keypoint.y);
    return { x, y, side, alpha: alpha * visibility(keypoint.confidence) };
  });
  for (const [from, to] of task.skeleton) {
    const a = joints[from];
    const b = joints[to];
    if (a && b) drawLimb(context, a, b, pen);
  }
  for (const joint of joints) if (joint) drawJoint(context, joint, pen);
  context.globalAlpha = 1;
}

function drawLimb(context: CanvasRenderingContext2D, a: Joint, b: Joint, pen: Pen): void {
  context.globalAlpha = Math.min(a.alpha, b.alpha);
  if (context.globalAlpha < 0.02) return;
  context.lineCap = "round";
  context.beginPath();
  context.moveTo(a.x, a.y);
  context.lineTo(b.x, b.y);
  context.strokeStyle = halo;
  context.lineWidth = pen.limb + 2 * pen.halo;
  context.stroke();
  context.strokeStyle = sideColors[limbSide(a.side, b.side)];
  context.lineWidth = pen.limb;
  context.stroke();
}

function drawJoint(context: CanvasRenderingContext2D, joint: Joint, pen: Pen): void {
  context.globalAlpha = joint.alpha;
  if (joint.alpha < 0.02) return;
  context.beginPath();
  context.arc(joint.x, joint.y, pen.joint + pen.halo, 0, 2 * Math.PI);
  context.fillStyle = halo;
  context.fill();
  context.beginPath();
  context.arc(joint.x, joint.y, pen.joint, 0, 2 * Math.PI);
  context.fillStyle = sideColors[joint.side];
  context.fill();
}
