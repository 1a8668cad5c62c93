// Rows of a pose head into people in the source picture.

import type { Box, KeypointPosition, Pose } from "../api.js";
import type { Geometry } from "../letterbox.js";
import type { PoseTask } from "../manifest.js";
import { roundHalfEven } from "../rounding.js";

const BOX_COLUMNS = 6;

/** Decodes `rows`, the elements of the task's output in row-major order. A score of 0 is padding. */
export function decodePoses(task: PoseTask, geometry: Geometry, rows: Float32Array): Pose[] {
  const columns = BOX_COLUMNS + task.keypoints.length * task.keypointSize;
  const poses: Pose[] = [];
  for (let start = 0; start + columns <= rows.length; start += columns) {
    const row = rows.subarray(start, start + columns);
    if (at(row, 4) > 0) poses.push(decodePose(task, geometry, row));
  }
  return poses;
}

function decodePose(task: PoseTask, geometry: Geometry, row: Float32Array): Pose {
  const classIndex = roundHalfEven(at(row, 5));
  return {
    box: decodeBox(geometry, row),
    score: at(row, 4),
    classIndex,
    label: task.classes[classIndex] ?? `class ${classIndex}`,
    keypoints: task.keypoints.map(({ name }, index) => {
      const start = BOX_COLUMNS + index * task.keypointSize;
      return decodeKeypoint(name, geometry, row.subarray(start, start + task.keypointSize));
    }),
  };
}

function decodeBox(geometry: Geometry, row: Float32Array): Box {
  const { width, height } = geometry.source;
  return {
    x1: clamp(sourceX(geometry, at(row, 0)), width),
    y1: clamp(sourceY(geometry, at(row, 1)), height),
    x2: clamp(sourceX(geometry, at(row, 2)), width),
    y2: clamp(sourceY(geometry, at(row, 3)), height),
  };
}

/** Not clamped: a hand outside the picture stays outside. */
function decodeKeypoint(name: string, geometry: Geometry, values: Float32Array): KeypointPosition {
  const x = sourceX(geometry, at(values, 0));
  const y = sourceY(geometry, at(values, 1));
  return { name, x, y, confidence: values[2] ?? 1 };
}

function sourceX({ left, width, source }: Geometry, x: number): number {
  return ((x - left) * source.width) / width;
}

function sourceY({ top, height, source }: Geometry, y: number): number {
  return ((y - top) * source.height) / height;
}

function clamp(value: number, maximum: number): number {
  return Math.min(Math.max(value, 0), maximum);
}

/** NaN where the row is too short, so that a wrong shape cannot pass for a position. */
function at(values: Float32Array, index: number): number {
  return values[index] ?? Number.NaN;
}
