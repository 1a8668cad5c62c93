// The scores of a classification into classes, the most probable first.

import type { ClassScore } from "../api.js";
import type { ClassifyTask } from "../manifest.js";

/** Decodes `values`, one for each class. Of equals the one of the lower index comes first, and NaN last. */
export function decodeClasses(task: ClassifyTask, values: Float32Array): ClassScore[] {
  const scores = task.logits ? softmax(values) : Array.from(values);
  return task.classes
    .map((label, classIndex) => ({ classIndex, label, score: scores[classIndex] ?? Number.NaN }))
    .sort((a, b) => rank(b.score) - rank(a.score) || a.classIndex - b.classIndex);
}

function rank(score: number): number {
  return Number.isNaN(score) ? -Number.MAX_VALUE : score;
}

function softmax(values: Float32Array): number[] {
  const largest = values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const powers = Array.from(values, (value) => Math.exp(value - largest));
  const total = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / total);
}
