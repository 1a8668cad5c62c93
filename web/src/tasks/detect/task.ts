// Object detection: decodes rows [1, rows, 6] of x1 y1 x2 y2, score, class index into boxes.

import type { Detection, DetectResult } from "../../api/types.js";
import type { DetectTask } from "../../manifest/manifest.js";
import type { Geometry } from "../../preprocess/letterbox.js";
import { DETECTION_COLUMNS, decodeRow, hasNoArea, rowsWithoutPadding } from "../detection-rows.js";
import { readRows } from "../read-output.js";
import type { FieldsOf, TaskModule } from "../task-module.js";

export const task: TaskModule<DetectTask, FieldsOf<DetectResult>> = {
  kind: "detect",
  neededOutputs: ({ task: { output } }) => [output],
  decode({ task }, outputs, geometry) {
    const rows = readRows(task, outputs, DETECTION_COLUMNS);
    return { kind: "detect", ...geometry.source, detections: decodeDetections(task, geometry, rows) };
  },
  rows: { output: ({ output }) => output, isEmptyBox: hasNoArea },
};

/** Decodes `rows`, the elements of the task's output in row-major order. A score of 0 is padding. */
export function decodeDetections(task: DetectTask, geometry: Geometry, rows: Float32Array): Detection[] {
  return rowsWithoutPadding(rows, DETECTION_COLUMNS).map((row) => decodeRow(task.classes, geometry, row));
}
