// Reads a depth result at a point of the picture.

import { WebbuildError } from "../../api/errors.js";
import type { DepthResult } from "../../api/types.js";
import { readPixel } from "./depth-map.js";

/**
 * Returns the value of the pixel at a point of the picture, from `depth` or from `map`, whichever the result
 * has. NaN outside of the picture, and where the model's input did not show the picture.
 */
export function depthAt(result: DepthResult, x: number, y: number): number {
  const { kind, width, height, depth, map } = Object(result) as DepthResult;
  if (kind !== "depth") {
    const fix = "give the result of run() of a depth model";
    throw new WebbuildError(
      "invalid-input",
      `depthAt() takes a depth result, got ${kind ?? typeof result}`,
      fix,
    );
  }
  const [column, row] = [Math.floor(x), Math.floor(y)];
  if (!(column >= 0 && row >= 0 && column < width && row < height)) return Number.NaN;
  if (depth !== null) return depth[row * width + column] ?? Number.NaN;
  if (map === null) return Number.NaN;
  const { values, columns, rows, input, placed } = map;
  const grid = { width: columns, height: rows };
  return readPixel({ source: { width, height }, ...placed }, { values, grid, input }, column, row);
}
