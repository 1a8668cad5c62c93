// Rows of a detection head into objects in the source picture.

import type { Detection } from "../api.js";
import type { Geometry } from "../letterbox.js";
import type { DetectTask } from "../manifest.js";
import { DETECTION_COLUMNS, decodeRow, foundRows } from "./rows.js";

/** Decodes `rows`, the elements of the task's output in row-major order. A score of 0 is padding. */
export function decodeDetections(task: DetectTask, geometry: Geometry, rows: Float32Array): Detection[] {
  return foundRows(rows, DETECTION_COLUMNS).map((row) => decodeRow(task.classes, geometry, row));
}
