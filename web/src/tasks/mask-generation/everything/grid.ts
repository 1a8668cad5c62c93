// The points of a grid over the picture, and the prompts that they are.

import type { Point } from "../../../api/geometry.js";
import type { Manifest } from "../../../manifest/manifest.js";
import type { Size } from "../../../preprocess/letterbox.js";
import { FOREGROUND, type PointPrompt } from "../options.js";
import { graphObjects } from "../prompt-length.js";

/** Returns point `index` of a grid of so many a side: row by row, each in the middle of its part of the picture. */
export function gridPoint(index: number, perSide: number, { width, height }: Size): Point {
  const [column, row] = [index % perSide, Math.floor(index / perSide)];
  return { x: ((column + 0.5) / perSide) * width, y: ((row + 0.5) / perSide) * height };
}

/** A click, which may mean several things. */
export function clickOn(point: Point): PointPrompt {
  return { points: [point], labels: [FOREGROUND], box: null, mask: null, multimask: true };
}

/** Runs of several clicks from which on they take less time than opening their graph adds. */
const FEWEST_RUNS = 8;

/** A graph for clicks on several objects in a run, and how many these are. */
interface SeveralClicks<M> {
  variant: M;
  size: number;
}

/** Returns the graph for the most clicks in a run, null where a grid of so many points is asked sooner one by one. */
export function severalClicks<M extends Pick<Manifest, "inputs">>(
  variants: readonly M[],
  points: number,
): SeveralClicks<M> | null {
  const sized = variants.map((variant) => ({ variant, size: graphObjects(variant) }));
  const worthwhile = sized.filter(({ size }) => size > 1 && size * FEWEST_RUNS <= points);
  return worthwhile.sort((one, other) => other.size - one.size)[0] ?? null;
}
