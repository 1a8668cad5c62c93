// The objects of a picture from prototypes that stay on the GPU: SegmentTask says in words what their masks are.

import type { Segment } from "../api.js";
import type { Told } from "../contest/gpu-contest.js";
import type { Geometry } from "../letterbox.js";
import type { SegmentTask } from "../manifest.js";
import { placeMask } from "../tasks/mask.js";
import type { Size } from "../tasks/mask-maps.js";
import { DETECTION_COLUMNS, decodeRow, foundRows } from "../tasks/rows.js";
import { segmentColumns } from "../tasks/segment.js";
import type { GpuCutter } from "./gpu-cutter.js";

/** Prototypes over the whole input. */
export interface KeptPrototypes {
  buffer: GPUBuffer;
  grid: Size;
  input: Size;
}

/** `rows` are as in decodeSegments. Rejects with what the GPU has against it. */
export async function segmentsOnGpu(
  cutter: GpuCutter,
  task: SegmentTask,
  geometry: Geometry,
  rows: Float32Array,
  { buffer, grid, input }: KeptPrototypes,
): Promise<{ segments: Segment[] } & Told> {
  const found = foundRows(rows, segmentColumns(task)).map((row) => ({
    row,
    place: placeMask(geometry, row, { grid, input }),
    coefficients: row.subarray(DETECTION_COLUMNS),
  }));
  const { pixels, ...told } = await cutter.cut({ buffer, count: task.masks, grid }, found);
  const segments = found.map(({ row, place }, index) => ({
    ...decodeRow(task.classes, geometry, row),
    mask: { ...place.rectangle, data: pixels[index] ?? new Uint8Array() },
  }));
  return { segments, ...told };
}
