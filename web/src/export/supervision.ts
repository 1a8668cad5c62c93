// Writes results as detections of supervision-js, Roboflow's renderer for the browser.

import type { EverythingResult, ObjectsResult } from "../api/types.js";
import { type FoundObject, foundObjects } from "./objects.js";
import { compressRuns, runLengths } from "./rle.js";

export interface SupervisionDetection {
  id: number;
  className: string;
  confidence?: number;
  /** `x` and `y` are the centre. */
  rect: { x: number; y: number; width: number; height: number };
  polygon?: { points: { x: number; y: number }[] };
  keypoints?: { points: { x: number; y: number }[]; edges: [number, number][]; visibility: (1 | 2)[] };
  mask?: { encoding: "compressedRle"; width: number; height: number; counts: string };
  metadata: { classIndex: number };
}

/** A frame that `session.appendDetectionFrames([frame])` takes. */
export interface SupervisionFrame {
  mediaTime: number;
  detections: SupervisionDetection[];
  coordinateSpace: { width: number; height: number };
}

export interface SupervisionOptions {
  /** Seconds, 0 by default. */
  mediaTime?: number;
  /** Pairs of keypoints that are connected, none by default. */
  edges?: readonly [number, number][];
}

/** Returns a result as a frame of detections of supervision-js, without objects that have no area. */
export function toSupervision(
  result: ObjectsResult | EverythingResult,
  options: SupervisionOptions = {},
): SupervisionFrame {
  const { width, height } = result;
  const detections = foundObjects(result)
    .map((one, index) => detection(one, index, width, height, options.edges ?? []))
    .filter(({ rect }) => rect.width > 0 && rect.height > 0);
  return { mediaTime: options.mediaTime ?? 0, detections, coordinateSpace: { width, height } };
}

function detection(
  one: FoundObject,
  id: number,
  width: number,
  height: number,
  edges: readonly [number, number][],
): SupervisionDetection {
  const { box, score, label, classIndex, corners, keypoints, inside, within, runs } = one;
  const made: SupervisionDetection = {
    id,
    className: label,
    rect: {
      x: (box.x1 + box.x2) / 2,
      y: (box.y1 + box.y2) / 2,
      width: box.x2 - box.x1,
      height: box.y2 - box.y1,
    },
    metadata: { classIndex },
  };
  if (score !== null) made.confidence = score;
  if (corners) made.polygon = { points: corners.map(({ x, y }) => ({ x, y })) };
  if (keypoints)
    made.keypoints = {
      points: keypoints.map(({ x, y }) => ({ x, y })),
      edges: [...edges],
      visibility: keypoints.map(({ confidence }) => (confidence >= 0.5 ? 2 : 1)),
    };
  if (inside && within) {
    const counts = compressRuns(runs ?? runLengths(width, height, inside, within));
    made.mask = { encoding: "compressedRle", width, height, counts };
  }
  return made;
}
