// PaddleOCR's DBPostProcess, without its last rounding: a probability map [height, width] into rotated
// rectangles of text.
//
//   threshold -> contours -> minAreaRect -> score (mean inside) -> unclip (grow) -> minAreaRect

import type { TextBoxesTask } from "../../manifest/manifest.js";
import { sigmoid } from "../activations.js";
import { minAreaRect } from "./min-area-rect.js";
import { type Bitmap, outlineHulls } from "./outlines.js";
import type { Corner, Polygon } from "./result.js";

/** The elements of the task's output, row by row. */
export interface TextMap {
  width: number;
  height: number;
  cells: Float32Array;
}

/** The corners, in cells of the map, and the score: the mean probability inside. */
interface TextRectangle {
  corners: Polygon;
  score: number;
}

/** The minimum shorter side of a rectangle, in cells of the map; after unclipping, two more. */
const MIN_SIDE = 3;

export function findText(task: TextBoxesTask, map: TextMap, confidence: number): TextRectangle[] {
  return outlineHulls(bitmapOf(task, map), task.maxOutlines).flatMap((hull) => {
    const { corners, shortSide } = minAreaRect(hull);
    if (shortSide < MIN_SIDE) return [];
    const truncated = fromUpperLeft(corners).map(([x, y]): Corner => [Math.trunc(x), Math.trunc(y)]);
    const score = meanInside(task, map, truncated);
    if (!(score >= confidence)) return [];
    const unclipped = minAreaRect(truncated, unclipDistance(corners, task.unclipRatio));
    return unclipped.shortSide < MIN_SIDE + 2 ? [] : [{ corners: fromUpperLeft(unclipped.corners), score }];
  });
}

/**
 * Returns 1 for each cell above the threshold. Logits are compared with log(t / (1 - t)), to save a sigmoid
 * per cell.
 */
function bitmapOf({ threshold, activation }: TextBoxesTask, { width, height, cells }: TextMap): Bitmap {
  const logitThreshold = activation === "sigmoid" ? Math.log(threshold / (1 - threshold)) : threshold;
  const bitmap = new Uint8Array(cells.length);
  for (let at = 0; at < cells.length; at++) bitmap[at] = (cells[at] ?? 0) > logitThreshold ? 1 : 0;
  return { width, height, cells: bitmap };
}

/** Returns DBNet's unclip distance: area * ratio / perimeter. */
function unclipDistance([first, second, third]: Polygon, ratio: number): number {
  const sides = [
    Math.hypot(second[0] - first[0], second[1] - first[1]),
    Math.hypot(third[0] - second[0], third[1] - second[1]),
  ] as const;
  return (sides[0] * sides[1] * ratio) / (2 * (sides[0] + sides[1]));
}

/** Returns the corners clockwise, from the upper one of the two on the left. */
function fromUpperLeft(corners: Polygon): Polygon {
  const [a, b, c, d] = [...corners].sort(([x1, y1], [x2, y2]) => x1 - x2 || y1 - y2) as Polygon;
  const [upperLeft, lowerLeft] = a[1] <= b[1] ? [a, b] : [b, a];
  const [upperRight, lowerRight] = c[1] <= d[1] ? [c, d] : [d, c];
  return [upperLeft, upperRight, lowerRight, lowerLeft];
}

/** Returns the mean of the cells that OpenCV's `fillPoly` fills for a convex polygon, with its outline. */
function meanInside({ activation }: TextBoxesTask, map: TextMap, corners: readonly Corner[]): number {
  const { width, height, cells } = map;
  let [sum, count] = [0, 0];
  for (const [row, [left, right]] of rowsInside(corners)) {
    if (row < 0 || row >= height) continue;
    const end = Math.min(right, width - 1);
    for (let column = Math.max(left, 0); column <= end; column++) {
      const cell = cells[row * width + column] ?? Number.NaN;
      sum += activation === "sigmoid" ? sigmoid(cell) : cell;
      count++;
    }
  }
  return count === 0 ? 0 : sum / count;
}

/** Returns the first and last column of each row, from the lines that OpenCV draws between the corners. */
function rowsInside(corners: readonly Corner[]): Map<number, [number, number]> {
  const rows = new Map<number, [number, number]>();
  for (const [at, corner] of corners.entries()) {
    const next = corners[(at + 1) % corners.length] ?? corner;
    const [[x1, y1], [x2, y2]] = corner[0] <= next[0] ? [corner, next] : [next, corner];
    const steps = Math.max(1, Math.abs(x2 - x1), Math.abs(y2 - y1));
    for (let step = 0; step <= steps; step++) {
      const x = (step * (x2 - x1)) / steps;
      const down = (step * (y2 - y1)) / steps;
      const row = y1 + Math.sign(down) * Math.ceil(Math.abs(down) - 0.5);
      const [left, right] = rows.get(row) ?? [Infinity, -Infinity];
      rows.set(row, [Math.min(left, x1 + Math.ceil(x - 0.5)), Math.max(right, x1 + Math.floor(x + 0.5))]);
    }
  }
  return rows;
}
