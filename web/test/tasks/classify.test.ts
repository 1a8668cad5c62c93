import { expect, test } from "vitest";
import type { ClassScore } from "../../src/api/types.js";
import type { ClassifyTask } from "../../src/manifest/manifest.js";
import { decodeClasses } from "../../src/tasks/classify/class-scores.js";
import { expectClose } from "../support/compare-tensors.js";
import { casesOf } from "../support/conformance.js";

interface Case {
  task: ClassifyTask;
  values: number[];
  want: { classes: ClassScore[] };
  tolerance: number;
}

const words = ({ classIndex, label }: ClassScore) => ({ classIndex, label });
const scores = (classes: ClassScore[]) => classes.map(({ score }) => score);

test.each(casesOf<Case>("classify"))("%s", (_, { task, values, want, tolerance }) => {
  const got = decodeClasses(task, Float32Array.from(values));
  expect(got.map(words)).toEqual(want.classes.map(words));
  expectClose(scores(got), scores(want.classes), tolerance);
});

test("a NaN score comes last, and hides no other", () => {
  const task: ClassifyTask = { kind: "classify", output: "y", classes: ["a", "b", "c", "d"], logits: false };
  const got = decodeClasses(task, Float32Array.from([Number.NaN, 0.25, Number.NaN, 0.75]));
  expect(got.map(({ label }) => label)).toEqual(["d", "b", "a", "c"]);
});
