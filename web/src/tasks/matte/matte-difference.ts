// Compares the alpha of a picture with the alpha in reduced precision.

import type { MatteTask } from "../../manifest/manifest.js";
import {
  absoluteDifference,
  largestDifference,
  largestOf,
  percent,
  type Tolerance,
} from "../../self-test/tolerance.js";
import { alphaCells } from "./alpha.js";

/**
 * Returns in words what differs by more than the tolerance, null if nothing does. If there are several
 * channels, each is compared as alpha; logits of classes are compared unchanged.
 */
export function matteDifference(
  task: MatteTask,
  name: string,
  want: Float32Array,
  got: Float32Array,
  tolerance: Tolerance,
): string | null {
  if (name !== task.output || task.activation === "softmax") return largestDifference(want, got, tolerance);
  const layout = { grid: { width: want.length, height: 1 }, channels: 1, cellStep: 1, channelStep: 0 };
  const [one, other] = [want, got].map((values) => alphaCells(task, values, layout));
  if (one === undefined || other === undefined) return null;
  const error = (index: number): number => absoluteDifference(one, other, index);
  const mean = one.reduce((sum, _, index) => sum + error(index), 0) / one.length;
  const worst = largestOf(one, (_, index) => error(index));
  if (mean <= tolerance.alpha && worst <= tolerance.alphaWorst * tolerance.alpha) return null;
  return `differs by ${percent(mean)} of opaque on average, by ${percent(worst)} at worst`;
}
