// The number of a depth result at a place of the picture.

import type { DepthResult } from "./results.js";
import { readPixel } from "./tasks/depth.js";

/**
 * The value of the pixel at a place of the picture, read from `depth` or from `map`, whichever the result has. NaN
 * outside of the picture, and where the model saw nothing.
 */
export function depthAt({ width, height, depth, map }: DepthResult, x: number, y: number): number {
  const [column, row] = [Math.floor(x), Math.floor(y)];
  if (!(column >= 0 && row >= 0 && column < width && row < height)) return Number.NaN;
  if (depth !== null) return depth[row * width + column] ?? Number.NaN;
  if (map === null) return Number.NaN;
  const { values, columns, rows, input, placed } = map;
  const grid = { width: columns, height: rows };
  return readPixel({ source: { width, height }, ...placed }, { values, grid, input }, column, row);
}
