// Rows of detections, [rows, columns]: every task's row starts with x1 y1 x2 y2, score, class index. A score of 0 is padding.

import type { Box, Detection, Point } from "../api/types.js";
import type { Geometry } from "../preprocess/letterbox.js";
import { roundHalfEven } from "../preprocess/rounding.js";

/** x1 y1 x2 y2, score, class index. */
export const DETECTION_COLUMNS = 6;

/** Returns the rows of [rows, columns], given in row-major order, without padding (score 0). */
export function rowsWithoutPadding(elements: Float32Array, columns: number): Float32Array[] {
  const rows: Float32Array[] = [];
  for (let start = 0; start + columns <= elements.length; start += columns) {
    const row = elements.subarray(start, start + columns);
    if (at(row, 4) > 0) rows.push(row);
  }
  return rows;
}

export function decodeRow(classes: readonly string[], geometry: Geometry, row: Float32Array): Detection {
  return { box: decodeBox(geometry, row.subarray(0, 4)), ...decodeClass(classes, row) };
}

export function decodeClass(classes: readonly string[], row: Float32Array): Omit<Detection, "box"> {
  const classIndex = roundHalfEven(at(row, 5));
  return { score: at(row, 4), classIndex, label: classes[classIndex] ?? `class ${classIndex}` };
}

/** Maps x, y from the model's input to pixels of the source picture (undoes the letterbox), unclamped. */
export function sourcePoint(geometry: Geometry, values: ArrayLike<number>): Point {
  const { left, top, width, height, source } = geometry;
  return {
    x: ((at(values, 0) - left) * source.width) / width,
    y: ((at(values, 1) - top) * source.height) / height,
  };
}

/** Maps x1 y1 x2 y2 from the model's input to a box of the source picture, clamped to the picture. */
export function decodeBox(geometry: Geometry, [x1, y1, x2, y2]: Iterable<number>): Box {
  const { width, height } = geometry.source;
  const first = sourcePoint(geometry, [x1 ?? Number.NaN, y1 ?? Number.NaN]);
  const second = sourcePoint(geometry, [x2 ?? Number.NaN, y2 ?? Number.NaN]);
  return {
    x1: clamp(first.x, width),
    y1: clamp(first.y, height),
    x2: clamp(second.x, width),
    y2: clamp(second.y, height),
  };
}

function clamp(value: number, maximum: number): number {
  return Math.min(Math.max(value, 0), maximum);
}

/** Returns an element; NaN if the row is too short, so that a wrong shape does not look like a position. */
export function at(values: ArrayLike<number>, index: number): number {
  return values[index] ?? Number.NaN;
}

export function hasNoArea(row: Float32Array): boolean {
  return at(row, 0) >= at(row, 2) || at(row, 1) >= at(row, 3);
}
