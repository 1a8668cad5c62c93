// Rows of a pose head into people in the source picture.

import type { KeypointPosition, Pose } from "../api.js";
import type { Geometry } from "../letterbox.js";
import type { PoseTask } from "../manifest.js";
import { DETECTION_COLUMNS, decodeRow, foundRows, sourcePoint } from "./rows.js";

export function poseColumns({ keypoints, keypointSize }: PoseTask): number {
  return DETECTION_COLUMNS + keypoints.length * keypointSize;
}

/** Decodes `rows`, the elements of the task's output in row-major order. A score of 0 is padding. */
export function decodePoses(task: PoseTask, geometry: Geometry, rows: Float32Array): Pose[] {
  return foundRows(rows, poseColumns(task)).map((row) => ({
    ...decodeRow(task.classes, geometry, row),
    keypoints: decodeKeypoints(task, geometry, row),
  }));
}

/** A hand outside the picture stays outside. */
function decodeKeypoints(task: PoseTask, geometry: Geometry, row: Float32Array): KeypointPosition[] {
  return task.keypoints.map(({ name }, index) => {
    const values = row.subarray(DETECTION_COLUMNS + index * task.keypointSize);
    const confidence = task.keypointSize === 3 ? (values[2] ?? Number.NaN) : 1;
    return { name, ...sourcePoint(geometry, values), confidence };
  });
}
