// What the list says of each detection.

import type { Pose } from "../src/index.js";
import { degrees } from "./format.js";
import type { FindingTask, Found } from "./found.js";
import { foundColor, visibility } from "./ink.js";
import type { Line } from "./results.js";

export function linesOf(found: readonly Found[], task: FindingTask): Line[] {
  return found.map((one, index) => ({
    label: one.label,
    color: foundColor(task, one, index),
    detail: detailOf(one),
    share: one.score,
    value: one.score.toFixed(2),
  }));
}

function detailOf(found: Found): string {
  if ("keypoints" in found) return keypointsSeen(found);
  return "angle" in found ? degrees(found.angle) : "";
}

function keypointsSeen({ keypoints }: Pose): string {
  const seen = keypoints.filter(({ confidence }) => visibility(confidence) >= 0.5).length;
  return `${seen} of ${keypoints.length} keypoints`;
}
