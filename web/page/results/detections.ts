// What a run found, whichever task of detections the model has. Keypoints, masks and turned boxes are some tasks' only.

import type { Detection, Model, OrientedObject, Pose, Result, Segment, TextBox } from "../../src/index.js";
import type { CropInput, Manifest } from "../../src/manifest/manifest.js";
import { everyStage } from "../../src/manifest/stages.js";
import type { Fit } from "../drawing/fit.js";
import { noun } from "../util/format.js";

export type AnyDetection = Detection | Pose | Segment | OrientedObject | TextBox | DetailedDetection;

/** With what the list says besides; `mark` is its number in the list, for the picture to say it too. */
export interface DetailedDetection extends Detection {
  detail: string;
  keypoints?: Pose["keypoints"] | undefined;
  mark?: string | undefined;
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
  /** Labels are drawn for what is pointed at alone: of text they would cover the next line. */
  labelsOnHover?: boolean;
  /** Draws what a detection has besides its box. */
  draw?(context: CanvasRenderingContext2D, one: AnyDetection, fit: Fit, alpha: number): void;
}

/** Null for the result or the model of another task. */
export type ReadDetections = (result: Result, task: Model["manifest"]["task"]) => FoundDetections | null;

/** What the picture and the list call an object: with the number that it keeps through a camera's frames, if it has one. */
export function withTrack<D extends AnyDetection>(one: D): D {
  return one.track === undefined ? one : { ...one, label: `${one.label} ${one.track}` };
}

/** How many there are, and of what: 4 people. */
export function countDetections({ detections, style }: FoundDetections, manifest: Model["manifest"]): string {
  return `${detections.length} ${noun(countedClasses(style, manifest), detections.length)}`;
}

/** The classes of what is counted: where a later stage looks at crops, those of the boxes that are cut. */
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
