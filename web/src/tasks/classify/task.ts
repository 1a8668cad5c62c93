// The scores of a classification into classes, the most probable first.

import type { ClassifyResult, ClassScore } from "../../api/types.js";
import type { ClassifyTask } from "../../manifest/manifest.js";
import { exceeded, largestDifference, type Tolerance } from "../../self-test/tolerance.js";
import { readFloats } from "../read-output.js";
import type { FieldsOf, TaskModule } from "../task-module.js";

export const task: TaskModule<ClassifyTask, FieldsOf<ClassifyResult>> = {
  kind: "classify",
  neededOutputs: ({ task: { output } }) => [output],
  decode({ task }, outputs, { source }) {
    const values = readFloats(outputs, task.output, [1, task.classes.length]);
    return { kind: "classify", ...source, classes: decodeClasses(task, values) };
  },
  difference(task, name, want, got, tolerance) {
    if (name !== task.output) return largestDifference(want, got, tolerance);
    return classDifference(task, want, got, tolerance);
  },
};

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

/** Compares probabilities: up to a part of the largest. */
function classDifference(
  task: ClassifyTask,
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
