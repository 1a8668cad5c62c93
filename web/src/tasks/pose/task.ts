// Pose estimation: decodes rows [1, rows, 6 + keypoints * size] into boxes with keypoints.

import type { KeypointPosition, Pose, PoseResult } from "../../api/types.js";
import type { PoseTask } from "../../manifest/manifest.js";
import type { Geometry } from "../../preprocess/letterbox.js";
import { absoluteDifference, type Tolerance } from "../../self-test/tolerance.js";
import {
  DETECTION_COLUMNS,
  decodeRow,
  hasNoArea,
  rowsWithoutPadding,
  sourcePoint,
} from "../detection-rows.js";
import { readRows } from "../read-output.js";
import type { FieldsOf, TaskModule } from "../task-module.js";

export const task: TaskModule<PoseTask, FieldsOf<PoseResult>> = {
  kind: "pose",
  neededOutputs: ({ task: { output } }) => [output],
  decode({ task }, outputs, geometry) {
    const rows = readRows(task, outputs, poseColumns(task));
    return { kind: "pose", ...geometry.source, poses: decodePoses(task, geometry, rows) };
  },
  rows: { output: ({ output }) => output, isEmptyBox: hasNoArea, ownColumnsMatch: keypointsMatch },
};

function poseColumns({ keypoints, keypointSize }: PoseTask): number {
  return DETECTION_COLUMNS + keypoints.length * keypointSize;
}

/** Decodes `rows`, the elements of the task's output in row-major order. A score of 0 is padding. */
export function decodePoses(task: PoseTask, geometry: Geometry, rows: Float32Array): Pose[] {
  return rowsWithoutPadding(rows, poseColumns(task)).map((row) => ({
    ...decodeRow(task.classes, geometry, row),
    keypoints: decodeKeypoints(task, geometry, row),
  }));
}

/** Keypoints are not clamped: a hand outside of the picture stays outside. */
function decodeKeypoints(task: PoseTask, geometry: Geometry, row: Float32Array): KeypointPosition[] {
  return task.keypoints.map(({ name }, index) => {
    const values = row.subarray(DETECTION_COLUMNS + index * task.keypointSize);
    const confidence = task.keypointSize === 3 ? (values[2] ?? Number.NaN) : 1;
    return { name, ...sourcePoint(geometry, values), confidence };
  });
}

function keypointsMatch(
  { keypoints, keypointSize }: PoseTask,
  row: Float32Array,
  other: Float32Array,
  { pixels, score }: Tolerance,
): boolean {
  return keypoints.every((_, index) => {
    const start = DETECTION_COLUMNS + index * keypointSize;
    const off = Math.hypot(absoluteDifference(row, other, start), absoluteDifference(row, other, start + 1));
    return off <= pixels && (keypointSize === 2 || absoluteDifference(row, other, start + 2) <= score);
  });
}
