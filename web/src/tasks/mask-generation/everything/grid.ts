// The points of a grid over the picture, as prompts.

import type { Point } from "../../../api/geometry.js";
import type { Manifest } from "../../../manifest/manifest.js";
import type { Size } from "../../../preprocess/letterbox.js";
import { FOREGROUND, type PointPrompt } from "../options.js";
import { graphObjects } from "../prompt-length.js";

/**
 * Returns point `index` of a grid with `perSide` points a side, row by row; each is in the middle of its part
 * of the picture.
 */
export function gridPoint(index: number, perSide: number, { width, height }: Size): Point {
  const [column, row] = [index % perSide, Math.floor(index / perSide)];
  return { x: ((column + 0.5) / perSide) * width, y: ((row + 0.5) / perSide) * height };
}

/** Returns the prompt of a click, which may be ambiguous. */
export function clickOn(point: Point): PointPrompt {
  return { points: [point], labels: [FOREGROUND], box: null, mask: null, multimask: true };
}

/** With fewer runs, opening the graph for several clicks takes more time than it saves. */
const FEWEST_RUNS = 8;

/** A graph for clicks on several objects in a run, and the number of objects. */
interface SeveralClicks<M> {
  variant: M;
  size: number;
}

/** Returns the graph for the most clicks in a run, null if single clicks are faster for this many points. */
export function severalClicks<M extends Pick<Manifest, "inputs">>(
  variants: readonly M[],
  points: number,
): SeveralClicks<M> | null {
  const sized = variants.map((variant) => ({ variant, size: graphObjects(variant) }));
  const worthwhile = sized.filter(({ size }) => size > 1 && size * FEWEST_RUNS <= points);
  return worthwhile.sort((one, other) => other.size - one.size)[0] ?? null;
}
