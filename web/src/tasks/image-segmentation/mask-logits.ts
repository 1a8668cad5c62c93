// Maps of logits before they become masks: resized, as probabilities, or read at the nearest cell.

import type { ImageSegmentationTask } from "../../manifest/manifest.js";
import type { Geometry, Size } from "../../preprocess/letterbox.js";
import { sigmoid, softmax } from "../activations.js";
import { type DepthMap, decodeMap } from "../depth/depth-map.js";

/** A map's elements in row-major order, its size, and the size of the input it covers. */
export type MaskMap = DepthMap;

/** Returns the map unchanged, or resized to the task's mask size. */
export function resizeLogits(task: ImageSegmentationTask, map: MaskMap): MaskMap {
  const grid = resizedCells(task);
  if (grid === null) return map;
  return { ...map, values: decodeMap(wholeMap(grid, map.input), map), grid };
}

/** Returns the geometry of a map over the whole input that is resized to this many cells. */
export function wholeMap(grid: Size, input: Size): Geometry {
  return { source: grid, left: 0, top: 0, ...input };
}

/** Returns the cells that the task resizes maps to, null if it does not. */
export function resizedCells({ maskSize }: ImageSegmentationTask): Size | null {
  const [height, width] = maskSize;
  return height === undefined || width === undefined ? null : { width, height };
}

export function probabilities(task: ImageSegmentationTask, logits: MaskMap): MaskMap {
  const map = resizeLogits(task, logits);
  return { ...map, values: map.values.map(sigmoid) };
}

/** Returns the probabilities of each row of `columns` logits. */
export function softmaxRows(logits: Float32Array, columns: number): Float32Array[] {
  return Array.from({ length: logits.length / columns }, (_, index) =>
    Float32Array.from(softmax(logits.subarray(index * columns, (index + 1) * columns))),
  );
}

/** Calls `mark` for every pixel of the source whose top left corner is in a cell above 0. */
export function forNearestCells(
  geometry: Geometry,
  { values, grid, input }: MaskMap,
  mark: (at: number) => void,
): void {
  const { left, top, width, height, source } = geometry;
  const across = cells({ start: left, drawn: width, source: source.width }, input.width, grid.width);
  const down = cells({ start: top, drawn: height, source: source.height }, input.height, grid.height);
  let at = 0;
  for (const row of down) {
    for (const column of across) {
      if (row >= 0 && column >= 0 && (values[row * grid.width + column] ?? 0) > 0) mark(at);
      at += 1;
    }
  }
}

interface PictureSpan {
  start: number;
  drawn: number;
  source: number;
}

/** Returns the cell of each pixel along a side of the source, -1 outside of the input. */
function cells({ start, drawn, source }: PictureSpan, size: number, count: number): number[] {
  return Array.from({ length: source }, (_, index) => {
    // Multiplied by the source's size, so that the numbers are integers and exact.
    const corner = start * source + index * drawn;
    return corner < 0 || corner >= size * source ? -1 : Math.floor((corner * count) / (size * source));
  });
}
