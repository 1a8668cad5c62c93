import { expect, test } from "vitest";
import { LoadSteps, type Step } from "../../page/shell/load-steps.js";
import type { Progress } from "../../src/index.js";

/** Feeds the reports `[stage of the model, step, loaded, total]`, and returns the step shown after each. */
function heard(steps: LoadSteps, reports: [string | undefined, Step, number, number][]): string[] {
  return reports.map(([modelStage, stage, loaded, total]) => {
    const bytes = { bytesDone: 0, bytesTotal: 0 };
    const progress = { stage, loaded, total, ...bytes, ...(modelStage === undefined ? {} : { modelStage }) };
    const current = steps.update(progress satisfies Progress);
    return `${current.modelStage ?? "model"} ${current.stage} ${current.loaded}`;
  });
}

test("the stage on display stays until its step is over", () => {
  const steps = new LoadSteps();
  const said = heard(steps, [
    ["encoder", "engine", 0, 40],
    ["decoder", "engine", 0, 0],
    ["encoder", "engine", 40, 40],
    ["decoder", "weights", 1, 4],
    ["encoder", "weights", 2, 20],
    ["decoder", "weights", 4, 4],
    ["decoder", "session", 0, 1],
    ["encoder", "weights", 20, 20],
    ["decoder", "session", 1, 1],
    ["decoder", "warmup", 1, 1],
    ["encoder", "session", 0, 1],
  ]);
  expect(said).toEqual([
    "encoder engine 0",
    "encoder engine 0",
    "encoder engine 0",
    "decoder weights 1",
    "decoder weights 1",
    "encoder weights 2",
    "encoder weights 2",
    "decoder session 0",
    "decoder session 0",
    "decoder session 0",
    "encoder session 0",
  ]);
});

test("a step's progress is the mean over the stages; a total of 0 does not count", () => {
  const steps = new LoadSteps();
  const share = (): number[] =>
    (["engine", "weights", "session", "warmup"] as const).map((at) => steps.share(at));
  expect(share()).toEqual([0, 0, 0, 0]);
  heard(steps, [
    ["encoder", "engine", 10, 40],
    ["decoder", "engine", 0, 0],
  ]);
  expect(share()).toEqual([0.25, 0, 0, 0]);
  heard(steps, [
    ["encoder", "weights", 10, 20],
    ["decoder", "session", 1, 1],
  ]);
  expect(share()).toEqual([1, 0.75, 0.5, 0]);
});

test("a model of one stage shows its steps as they come", () => {
  const steps = new LoadSteps();
  const said = heard(steps, [
    [undefined, "engine", 40, 40],
    [undefined, "weights", 0, 20],
    [undefined, "weights", 20, 20],
    [undefined, "warmup", 0, 1],
  ]);
  expect(said).toEqual(["model engine 40", "model weights 0", "model weights 0", "model warmup 0"]);
  expect(steps.share("session")).toBe(1);
});
