// Finds the objects of a picture with prototypes that stay on the GPU. SegmentTask describes their masks.

import type { Segment } from "../../../api/types.js";
import type { SegmentTask } from "../../../manifest/manifest.js";
import type { ReadStats } from "../../../postprocess/degenerate-outputs.js";
import type { Geometry, Size } from "../../../preprocess/letterbox.js";
import { DETECTION_COLUMNS, decodeRow, rowsWithoutPadding } from "../../detection-rows.js";
import { segmentColumns } from "../decode-segments.js";
import { maskGeometry } from "../process-mask.js";
import type { MaskAssembler } from "./mask-assembler.js";

/** Prototypes over the whole input. */
interface PrototypeMaps {
  buffer: GPUBuffer;
  grid: Size;
  input: Size;
}

/** `rows` are as in decodeSegments. Rejects with the GPU's error. */
export async function segmentsOnGpu(
  assembler: MaskAssembler,
  task: SegmentTask,
  geometry: Geometry,
  rows: Float32Array,
  { buffer, grid, input }: PrototypeMaps,
): Promise<{ segments: Segment[] } & ReadStats> {
  const detected = rowsWithoutPadding(rows, segmentColumns(task)).map((row) => ({
    row,
    place: maskGeometry(geometry, row, { grid, input }),
    coefficients: row.subarray(DETECTION_COLUMNS),
  }));
  const { pixels, ...stats } = await assembler.assemble(
    { buffer, count: task.maskCoefficients, grid },
    detected,
  );
  const segments = detected.map(({ row, place }, index) => ({
    ...decodeRow(task.classes, geometry, row),
    mask: { ...place.rectangle, data: pixels[index] ?? new Uint8Array() },
  }));
  return { segments, ...stats };
}
