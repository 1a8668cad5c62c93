// Compares two depth maps of a picture by their relative difference.

import type { DepthTask } from "../../manifest/manifest.js";
import {
  absoluteDifference,
  largestDifference,
  largestOf,
  percent,
  type Tolerance,
} from "../../self-test/tolerance.js";
import { at } from "../detection-rows.js";

/** Returns in words what differs by more than the tolerance, null if nothing does. */
export function depthDifference(
  { output }: DepthTask,
  name: string,
  want: Float32Array,
  got: Float32Array,
  tolerance: Tolerance,
): string | null {
  if (name !== output) return largestDifference(want, got, tolerance);
  const floor = tolerance.depthFloor * largestOf(want);
  const error = (index: number): number =>
    absoluteDifference(want, got, index) / Math.max(Math.abs(at(want, index)), floor, Number.MIN_VALUE);
  const mean = want.reduce((sum, _, index) => sum + error(index), 0) / want.length;
  const worst = largestOf(want, (_, index) => error(index));
  if (mean <= tolerance.depth && worst <= tolerance.depthWorst * tolerance.depth) return null;
  return `differs by ${percent(mean)} of the depth, by ${percent(worst)} at worst`;
}
