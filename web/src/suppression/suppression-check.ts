// The same scene suppressed by the GPU and by the CPU: whether the same boxes are kept.

import { noise, withBuffer } from "../gpu/self-check-data.js";
import type { GpuSuppressor } from "./gpu-suppressor.js";
import { type Anchors, type SuppressionLimits, suppress } from "./suppress.js";

/** More than two workgroups of candidates, on a grid of whole pixels: with chains, ties and overlaps at the threshold. */
const ANCHORS = 700;
const LIMITS = {
  columns: 1,
  rowsOut: 320,
  maxDetections: 300,
  confidence: 0.1,
  iou: 0.5,
  maxCandidates: 600,
};

/** Returns in words what the GPU keeps otherwise, null where it keeps the same. */
export async function suppressionDifference(
  device: GPUDevice,
  suppressor: GpuSuppressor,
  rotated: boolean,
): Promise<string | null> {
  const scene = rotated ? rotatedScene(ANCHORS) : checkScene(ANCHORS);
  const limits: SuppressionLimits = { ...LIMITS, rotated };
  const want = suppress(scene, limits);
  const got = await suppressOnGpu(device, suppressor, scene, limits);
  const other = want.findIndex((anchor, row) => anchor !== got[row]);
  return other < 0 ? null : `keeps box ${got[other]} in row ${other}, the CPU ${want[other]}`;
}

/** Boxes of whole pixels, crowded enough that most are suppressed; a tenth of the scores are equal to another. */
export function checkScene(anchors: number): Anchors & { boxes: Float32Array<ArrayBuffer> } {
  const places = noise(anchors * 4, 1);
  const boxes = places.map((value, at) => {
    const corner = Math.round(Math.abs(places[at & ~2] ?? 0) * 96);
    return at & 2 ? corner + 4 + Math.round(Math.abs(value) * 12) : corner;
  });
  const scores = noise(anchors, 1).map((value) => Math.round(Math.abs(value) * 5 * anchors) / (5 * anchors));
  return { boxes, scores, rows: Float32Array.from({ length: anchors }, (_, anchor) => anchor + 1) };
}

/** Rotated boxes; no two overlap by nearly the threshold, where a GPU's logarithm may decide otherwise. */
export function rotatedScene(anchors: number): Anchors {
  const { scores, rows } = checkScene(anchors);
  const numbers = noise(anchors * 5, 1);
  const boxes = numbers.map((value, at) => {
    const column = at % 5;
    if (column === 4) return Math.round(value * 6) / 4;
    return column < 2 ? Math.round(Math.abs(value) * 24) * 16 : 12 + Math.round(Math.abs(value) * 3) * 12;
  });
  return { boxes, scores, rows };
}

/** Suppresses numbers that are uploaded for it. */
export function suppressOnGpu(
  device: GPUDevice,
  suppressor: GpuSuppressor,
  { boxes, scores, rows }: Anchors,
  limits: SuppressionLimits,
): Promise<Float32Array> {
  const copy = (data: Float32Array): Float32Array<ArrayBuffer> => Float32Array.from(data);
  return withBuffer(device, copy(boxes), (boxBuffer) =>
    withBuffer(device, copy(scores), (scoreBuffer) =>
      withBuffer(device, copy(rows), (rowBuffer) => {
        const given = { anchors: scores.length, boxes: boxBuffer, scores: scoreBuffer, rows: rowBuffer };
        return suppressor.run(given, limits);
      }),
    ),
  );
}
