// Detections of any task in the form that the page draws and lists. Keypoints, masks and rotated boxes depend on the task.

import type { Detection, Model, OrientedObject, Pose, Result, Segment, TextBox } from "../../src/index.js";
import type { CropInput, Manifest } from "../../src/manifest/manifest.js";
import { everyStage } from "../../src/manifest/stages.js";
import type { Fit } from "../drawing/fit.js";
import { noun } from "../util/format.js";

export type AnyDetection = Detection | Pose | Segment | OrientedObject | TextBox | DetailedDetection;

/** A detection with more text in the list. `mark` is its number in the list, drawn on the picture too. */
export interface DetailedDetection extends Detection {
  detail: string;
  keypoints?: Pose["keypoints"] | undefined;
  mark?: string | undefined;
}

/** Detections, and how they are drawn. */
export interface StyledDetections {
  detections: readonly AnyDetection[];
  style: DetectionStyle;
}

/** How the list and the stage show detections. */
export interface DetectionStyle {
  /** The class names. With one class, boxes are white. */
  classes: readonly string[];
  /** With one class, each detection has its own colour, by its rank. */
  colorByRank?: boolean;
  /** Draws only the label under the pointer, as labels of text lines would cover the next line. */
  labelsOnHover?: boolean;
  /** Draws more than the box, such as a skeleton. */
  draw?(context: CanvasRenderingContext2D, one: AnyDetection, fit: Fit, alpha: number): void;
}

/** Returns the detections of a task's result, null for a result of another task. */
export type DetectionReader = (result: Result, task: Model["manifest"]["task"]) => StyledDetections | null;

/** Adds the track id to the label, if there is one. */
export function withTrack<D extends AnyDetection>(one: D): D {
  return one.track === undefined ? one : { ...one, label: `${one.label} ${one.track}` };
}

/** Returns the count with its noun: 4 people. */
export function countDetections(
  { detections, style }: StyledDetections,
  manifest: Model["manifest"],
): string {
  return `${detections.length} ${noun(countedClasses(style, manifest), detections.length)}`;
}

/** The class names for the count. If a later stage takes crops, those of the boxes that are cropped. */
export function countedClasses({ classes }: DetectionStyle, manifest: Model["manifest"]): readonly string[] {
  const stages = everyStage(manifest);
  const crop = stages.at(-1)?.inputs.find(isCrop);
  const finders = stages.slice(0, -1).filter(({ inputs }, at) => at === 0 || !inputs.some(isCrop));
  const found = finders.flatMap(({ task }) => ("classes" in task ? [task.classes] : []));
  const boxes = found.at(-1);
  if (crop === undefined || boxes === undefined) return classes;
  return crop.classes.length === 0 ? boxes : crop.classes.map((index) => boxes[index] ?? "");
}

function isCrop(input: Manifest["inputs"][number]): input is CropInput {
  return input.kind === "crop";
}
