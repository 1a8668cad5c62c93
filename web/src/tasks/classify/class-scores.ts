// The class scores of a classifier, for a picture or a crop.

import type { ClassScore } from "../../api/types.js";
import type { ClassifyTask, CropClassesTask } from "../../manifest/manifest.js";
import { exceeded, largestDifference, type Tolerance } from "../../self-test/tolerance.js";
import { softmax } from "../activations.js";

type Spec = ClassifyTask | CropClassesTask;

/**
 * Decodes `values`, one for each class, best first. Of equal scores the lower index comes first; NaN comes
 * last.
 */
export function decodeClasses(task: Spec, values: Float32Array): ClassScore[] {
  const scores = task.logits ? softmax(values) : Array.from(values);
  return task.classes
    .map((label, classIndex) => ({ classIndex, label, score: scores[classIndex] ?? Number.NaN }))
    .sort((a, b) => rank(b.score) - rank(a.score) || a.classIndex - b.classIndex);
}

function rank(score: number): number {
  return Number.isNaN(score) ? -Number.MAX_VALUE : score;
}

/** Compares the probabilities of each picture separately: up to a share of the largest. */
export function classDifference(
  task: Spec,
  name: string,
  want: Float32Array,
  got: Float32Array,
  tolerance: Tolerance,
): string | null {
  if (name !== task.output) return largestDifference(want, got, tolerance);
  const count = task.classes.length;
  for (let at = 0; at < want.length; at += count) {
    const mismatch = difference(task, want.subarray(at, at + count), got.subarray(at, at + count), tolerance);
    if (mismatch !== null) return mismatch;
  }
  return null;
}

function difference(
  task: Spec,
  want: Float32Array,
  got: Float32Array,
  { score: part }: Tolerance,
): string | null {
  const scores = new Map(decodeClasses(task, got).map(({ classIndex, score }) => [classIndex, score]));
  const expected = decodeClasses(task, want);
  const worst = Math.max(
    ...expected.map(({ classIndex, score }) => Math.abs(score - (scores.get(classIndex) ?? Number.NaN))),
  );
  const allowed = part * Math.abs(expected[0]?.score ?? 0);
  return worst <= allowed ? null : exceeded(worst, allowed);
}
