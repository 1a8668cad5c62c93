// Rows and prototypes of a segmentation head into objects and their masks in the source picture.

import type { Segment } from "../api.js";
import type { Geometry } from "../letterbox.js";
import type { SegmentTask } from "../manifest.js";
import { cutMask, type Prototypes } from "./mask.js";
import { DETECTION_COLUMNS, decodeRow, foundRows } from "./rows.js";

export function segmentColumns({ masks }: SegmentTask): number {
  return DETECTION_COLUMNS + masks;
}

/** Decodes `rows`, the elements of the task's output in row-major order. A score of 0 is padding. */
export function decodeSegments(
  task: SegmentTask,
  geometry: Geometry,
  rows: Float32Array,
  prototypes: Prototypes,
): Segment[] {
  return foundRows(rows, segmentColumns(task)).map((row) => ({
    ...decodeRow(task.classes, geometry, row),
    mask: cutMask(geometry, row, row.subarray(DETECTION_COLUMNS), prototypes),
  }));
}
