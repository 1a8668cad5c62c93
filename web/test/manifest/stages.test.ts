import { expect, test } from "vitest";
import type { Manifest, Stage } from "../../src/manifest/manifest.js";
import { everyStage, finalTask, stageInputs } from "../../src/manifest/stages.js";

const tensor = { kind: "tensor", joined: [] } as const;
const output = { name: "embedding", dtype: "float32", shape: [1, 8] } as const;
const taken = { ...output, kind: "stage", name: "x", stage: "encoder", output: "embedding" } as const;

const decoder = {
  name: "decoder",
  task: { kind: "classify" },
  inputs: [taken],
  graphs: [],
} as unknown as Stage;
const whole = {
  schema: 2,
  name: "pair",
  stageName: "encoder",
  task: tensor,
  inputs: [],
  outputs: [output],
  variants: [{}],
  stages: [decoder],
} as unknown as Manifest;

test("each stage is a manifest with its own fields", () => {
  const [first, second] = everyStage(whole);
  expect(first).toMatchObject({ stageName: "encoder", task: tensor, variants: [{}] });
  expect(second).toMatchObject({ name: "pair", stageName: "decoder", task: decoder.task });
  expect(second).not.toHaveProperty("variants");
  expect(first).not.toHaveProperty("stages");
  expect(second && stageInputs(second)).toEqual([taken]);
  expect(finalTask(whole)).toBe(decoder.task);
});

test("a bundle of one model has one stage", () => {
  const { stages: _none, stageName: _unnamed, ...single } = whole;
  expect(everyStage(single)).toEqual([single]);
  expect(finalTask(single)).toBe(tensor);
});
