// What a run found, whichever task of detections the model has. Keypoints, masks and turned boxes are some tasks' only.

import type { Detection, Model, OrientedObject, Pose, Result, Segment } from "../../src/index.js";
import type { Fit } from "../drawing/fit.js";
import { noun } from "../util/format.js";

export type AnyDetection = Detection | Pose | Segment | OrientedObject | DetailedDetection;

/** With what the list says besides. */
export interface DetailedDetection extends Detection {
  detail: string;
}

export interface FoundDetections {
  detections: readonly AnyDetection[];
  style: DetectionStyle;
}

/** How the list and the stage show detections. */
export interface DetectionStyle {
  /** One alone has no colour. */
  classes: readonly string[];
  /** Where the class has no colour, the rank has. */
  colorByRank?: boolean;
  /** Draws what a detection has besides its box. */
  draw?(context: CanvasRenderingContext2D, one: AnyDetection, fit: Fit, alpha: number): void;
}

/** Null for the result or the model of another task. */
export type ReadDetections = (result: Result, task: Model["manifest"]["task"]) => FoundDetections | null;

/** How many there are, and of what: 4 people. */
export function countDetections({ detections, style }: FoundDetections): string {
  return `${detections.length} ${noun(style.classes, detections.length)}`;
}
