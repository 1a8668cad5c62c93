// Decodes masks of the picture's size from logits [rows, columns], on the CPU. MaskGenerationTask describes
// the formulas.

import type { Box, ObjectMask } from "../../api/types.js";
import type { MaskGenerationTask } from "../../manifest/manifest.js";
import type { Geometry, Size } from "../../preprocess/letterbox.js";
import type { Taps } from "../../preprocess/resample.js";
import { type MaskTaps, maskTaps } from "./mask-taps.js";
import type { PointPrompt } from "./options.js";

/** The indices of an object's masks that the result contains, and of the best of these. */
export interface ChosenMasks {
  masks: readonly number[];
  best: number;
}

/** Chooses the masks of a prompt's result, by the predicted IoU scores, as in Segment Anything. */
export function chooseMasks(
  { single, multi }: MaskGenerationTask,
  scores: ArrayLike<number>,
  { points, box, mask, multimask }: PointPrompt,
): ChosenMasks {
  let best = 0;
  for (const [index, one] of multi.entries())
    if ((scores[one] ?? 0) > (scores[multi[best] ?? 0] ?? 0)) best = index;
  if (multi.length > 0 && multimask) return { masks: multi, best };
  const isAmbiguous = points.length === 1 && box === null && mask === null;
  const answer = single === null || (multi.length > 0 && isAmbiguous) ? multi[best] : single;
  return { masks: [answer ?? 0], best: 0 };
}

/**
 * Returns the pixels of the picture where the logits of a grid are above the threshold, and their bounding
 * box.
 */
export function decodeMask(
  task: MaskGenerationTask,
  geometry: Geometry,
  logits: Float32Array,
  grid: Size,
): Omit<ObjectMask, "score"> {
  const { width, height } = geometry.source;
  const mask = new Uint8Array(width * height);
  const box = new GrowingBox();
  const whole = { x1: 0, y1: 0, x2: width, y2: height };
  for (const { y, values } of resampledRows(maskTaps(task, geometry, grid), logits, grid, whole))
    for (let x = 0; x < width; x++) {
      if (!((values[x] ?? 0) > task.threshold)) continue;
      mask[y * width + x] = 1;
      box.add(x, y);
    }
  return { mask, box: box.box };
}

/** Yields the logits at the pixels of a part of the picture, row by row. Each row overwrites the last. */
export function* resampledRows(
  { columns, rows }: MaskTaps,
  logits: Float32Array,
  grid: Size,
  { x1, y1, x2, y2 }: Box,
): Generator<{ y: number; values: Float64Array }> {
  const lines = new Map<number, Float64Array>();
  const values = new Float64Array(x2 - x1);
  for (let y = y1; y < y2; y++) {
    values.fill(0);
    for (let tap = y * rows.count; tap < (y + 1) * rows.count; tap++) {
      const [row, weight] = [rows.at[tap] ?? 0, rows.weights[tap] ?? 0];
      const line = lines.get(row) ?? resampledLine(logits.subarray(row * grid.width), columns, x1, x2);
      lines.set(row, line);
      for (let x = 0; x < values.length; x++) values[x] = (values[x] ?? 0) + weight * (line[x] ?? 0);
    }
    yield { y, values };
  }
}

function resampledLine(
  cells: Float32Array,
  { count, at, weights }: Taps,
  begin: number,
  end: number,
): Float64Array {
  const line = new Float64Array(end - begin);
  for (let x = 0, tap = begin * count; x < line.length; x++)
    for (const last = tap + count; tap < last; tap++)
      line[x] = (line[x] ?? 0) + (weights[tap] ?? 0) * (cells[at[tap] ?? 0] ?? 0);
  return line;
}

/** The bounding box of pixels. */
export class GrowingBox {
  readonly #ends = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0, 0] as [
    number,
    number,
    number,
    number,
  ];

  add(x: number, y: number): void {
    const [x1, y1, x2, y2] = this.#ends;
    this.#ends[0] = Math.min(x1, x);
    this.#ends[1] = Math.min(y1, y);
    this.#ends[2] = Math.max(x2, x + 1);
    this.#ends[3] = Math.max(y2, y + 1);
  }

  get isEmpty(): boolean {
    return this.#ends[3] === 0;
  }

  /** All 0 if there are no pixels. */
  get box(): Box {
    const [x1, y1, x2, y2] = this.#ends;
    return this.isEmpty ? { x1: 0, y1: 0, x2: 0, y2: 0 } : { x1, y1, x2, y2 };
  }
}
