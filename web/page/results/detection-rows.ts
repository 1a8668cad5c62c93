// The list rows of detections.

import type { Pose } from "../../src/index.js";
import { detectionColor, visibility } from "../drawing/drawing-style.js";
import { degrees } from "../util/format.js";
import type { AnyDetection, DetectionStyle } from "./detections.js";
import type { ResultRow } from "./result-list.js";

export function detectionRows(detections: readonly AnyDetection[], style: DetectionStyle): ResultRow[] {
  return detections.map((one, index) => ({
    label: one.label,
    color: detectionColor(style, one, index),
    detail: detailOf(one),
    share: one.score,
    value: one.score.toFixed(2),
  }));
}

function detailOf(detection: AnyDetection): string {
  if ("detail" in detection) return detection.detail;
  if ("keypoints" in detection) return keypointsSeen(detection);
  return "angle" in detection ? degrees(detection.angle) : "";
}

export function keypointsSeen({ keypoints }: Pick<Pose, "keypoints">): string {
  const seen = keypoints.filter(({ confidence }) => visibility(confidence) >= 0.5).length;
  return `${seen} of ${keypoints.length} keypoints`;
}
