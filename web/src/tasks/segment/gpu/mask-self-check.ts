// Self-check: how much masks from the same noise differ between GPU and CPU.

import { noise, withBuffer } from "../../../gpu/self-check-data.js";
import type { SegmentTask } from "../../../manifest/manifest.js";
import type { Geometry } from "../../../preprocess/letterbox.js";
import { decodeSegments } from "../decode-segments.js";
import type { MaskAssembler } from "./mask-assembler.js";
import { segmentsOnGpu } from "./segments.js";

const GRID = { width: 9, height: 8 };
const INPUT = { width: 36, height: 32 };
const GEOMETRY: Geometry = { source: { width: 61, height: 47 }, left: 0, top: 3, width: 36, height: 28 };
const TASK: SegmentTask = {
  kind: "segment",
  output: "rows",
  protos: "protos",
  rows: 3,
  classes: ["a"],
  maskCoefficients: 5,
};
/** The whole picture, a part of it, and a box between two pixel centres, which has no pixel. */
const BOXES = [
  [0, 0, 36, 32],
  [3.5, 7.25, 22, 30.5],
  [4.6, 5, 5.4, 9],
] as const;

/** Returns the share of pixels that differ on the GPU, of masks that are at most half covered. */
export async function maskDifference(device: GPUDevice, assembler: MaskAssembler): Promise<number> {
  const protos = noise(TASK.maskCoefficients * GRID.width * GRID.height, 4);
  const coefficients = noise(TASK.rows * TASK.maskCoefficients, 3);
  const rows = BOXES.flatMap((box, index) => [
    ...box,
    0.5,
    0,
    ...coefficients.subarray(index * TASK.maskCoefficients, (index + 1) * TASK.maskCoefficients),
  ]);
  return withBuffer(device, protos, async (buffer) => {
    const elements = Float32Array.from(rows);
    const kept = { buffer, grid: GRID, input: INPUT };
    const { segments: got } = await segmentsOnGpu(assembler, TASK, GEOMETRY, elements, kept);
    const want = decodeSegments(TASK, GEOMETRY, elements, { protos, grid: GRID, input: INPUT });
    const pairs = want.flatMap(({ mask }, index) =>
      [...mask.data].map((pixel, at) => pixel === got[index]?.mask.data[at]),
    );
    return pairs.filter((same) => !same).length / pairs.length;
  });
}
