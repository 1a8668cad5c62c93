// The points of a grid over the picture, and the prompts that they are.

import type { Point } from "../../../api/geometry.js";
import type { Size } from "../../../preprocess/letterbox.js";
import { FOREGROUND, type PointPrompt } from "../options.js";

/** Returns point `index` of a grid of so many a side: row by row, each in the middle of its part of the picture. */
export function gridPoint(index: number, perSide: number, { width, height }: Size): Point {
  const [column, row] = [index % perSide, Math.floor(index / perSide)];
  return { x: ((column + 0.5) / perSide) * width, y: ((row + 0.5) / perSide) * height };
}

/** A click, which may mean several things. */
export function clickOn(point: Point): PointPrompt {
  return { points: [point], labels: [FOREGROUND], box: null, mask: null, multimask: true };
}
