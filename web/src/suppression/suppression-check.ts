// Self-check: whether GPU and CPU keep the same boxes of a scene.

import { noise, withBuffer } from "../gpu/self-check-data.js";
import type { Suppression } from "../manifest/manifest.js";
import type { GpuSuppressor } from "./gpu-suppressor.js";
import { type Anchors, type Kept, type SuppressionLimits, suppress } from "./suppress.js";

/**
 * More than two workgroups of candidates, on a grid of whole pixels, with chains, ties and overlaps at the
 * threshold.
 */
const ANCHORS = 700;
const LABELS = 3;
const LIMITS = {
  columns: 3,
  rowsOut: 320,
  maxDetections: 300,
  confidence: 0.1,
  iou: 0.5,
  maxCandidates: 600,
};

/** Returns in words which boxes the GPU keeps differently, null if it keeps the same. */
export async function suppressionDifference(
  device: GPUDevice,
  suppressor: GpuSuppressor,
  { rotated, multiLabel }: Pick<Suppression, "rotated" | "multiLabel">,
): Promise<string | null> {
  const limits: SuppressionLimits = { ...LIMITS, rotated: rotated ?? false };
  const scene = rotated ? rotatedScene(ANCHORS) : checkScene(ANCHORS, multiLabel === undefined ? 1 : LABELS);
  if (multiLabel !== undefined)
    limits.multiLabel = {
      count: LABELS,
      maxDetections: 90,
      order: multiLabel.order,
      scoreColumn: 1,
      labelColumn: 2,
    };
  const want = suppress(scene, limits);
  const got = await suppressOnGpu(device, suppressor, scene, limits);
  if (want.count !== got.count) return `keeps ${got.count} boxes, the CPU ${want.count}`;
  const other = want.rows.findIndex((value, at) => value !== got.rows[at]);
  const { columns } = limits;
  return other < 0
    ? null
    : `has ${got.rows[other]} in row ${Math.floor(other / columns)}, the CPU ${want.rows[other]}`;
}

/**
 * Returns boxes of whole pixels, so crowded that most are suppressed; a tenth of the scores are equal to
 * another.
 */
function checkScene(anchors: number, labels = 1): Anchors & { boxes: Float32Array<ArrayBuffer> } {
  const places = noise(anchors * 4, 1);
  const boxes = places.map((value, at) => {
    const corner = Math.round(Math.abs(places[at & ~2] ?? 0) * 96);
    return at & 2 ? corner + 4 + Math.round(Math.abs(value) * 12) : corner;
  });
  const scores = noise(anchors * labels, 1).map(
    (value) => Math.round(Math.abs(value) * 5 * anchors) / (5 * anchors),
  );
  return { boxes, scores, rows: numbered(anchors) };
}

/** Returns rotated boxes. No overlap is close to the threshold, since GPUs compute logarithms differently. */
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

/** Returns rows that begin with the number of their anchor, from 1 on. */
function numbered(anchors: number): Float32Array {
  return Float32Array.from({ length: anchors * LIMITS.columns }, (_, at) =>
    at % LIMITS.columns === 0 ? at / LIMITS.columns + 1 : 0,
  );
}

/** Suppresses boxes after uploading them. */
export function suppressOnGpu(
  device: GPUDevice,
  suppressor: GpuSuppressor,
  { boxes, scores, rows }: Anchors,
  limits: SuppressionLimits,
): Promise<Kept> {
  const copy = (data: Float32Array): Float32Array<ArrayBuffer> => Float32Array.from(data);
  return withBuffer(device, copy(boxes), (boxBuffer) =>
    withBuffer(device, copy(scores), (scoreBuffer) =>
      withBuffer(device, copy(rows), (rowBuffer) => {
        const anchors = scores.length / (limits.multiLabel?.count ?? 1);
        const given = { anchors, boxes: boxBuffer, scores: scoreBuffer, rows: rowBuffer };
        return suppressor.run(given, limits);
      }),
    ),
  );
}
