// Decodes rows and prototypes of a segmentation head into objects with masks in the source picture.

import type { Segment } from "../../api/types.js";
import type { SegmentTask } from "../../manifest/manifest.js";
import type { Geometry } from "../../preprocess/letterbox.js";
import { DETECTION_COLUMNS, decodeRow, rowsWithoutPadding } from "../detection-rows.js";
import { type Prototypes, processMask } from "./process-mask.js";

export function segmentColumns({ maskCoefficients }: SegmentTask): number {
  return DETECTION_COLUMNS + maskCoefficients;
}

/** Decodes `rows`, the elements of the task's output in row-major order. A score of 0 is padding. */
export function decodeSegments(
  task: SegmentTask,
  geometry: Geometry,
  rows: Float32Array,
  prototypes: Prototypes,
): Segment[] {
  return rowsWithoutPadding(rows, segmentColumns(task)).map((row) => ({
    ...decodeRow(task.classes, geometry, row),
    mask: processMask(geometry, row, row.subarray(DETECTION_COLUMNS), prototypes),
  }));
}
