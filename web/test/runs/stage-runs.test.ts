import { expect, test, vi } from "vitest";
import type { ModelStage } from "../../src/runs/model-stage.js";
import type { SceneSource } from "../../src/runs/scene-source.js";
import { StageRuns } from "../../src/runs/stage-runs.js";
import { everythingSettings } from "../../src/tasks/mask-generation/everything/settings.js";

const PARTS = 3;
const scenes = {
  countParts: async () => PARTS,
  runParts: async () => ({
    pieces: ["mask"],
    timings: { preprocess: 0, inference: 1, postprocess: 0, total: 1 },
  }),
  joinParts: async (...[, , , masks]: unknown[]) => ({ masks }),
};
const loaded = {};
const session = {
  loaded,
  ready: async () => {},
  check: () => {},
  call: (call: (host: { scenes: unknown }) => unknown) => call({ scenes }),
};
const turns = {
  run: async (...[, , work]: [unknown, unknown, (session: unknown, id: number) => unknown]) => ({
    answer: await work(session, 0),
  }),
};
const stage = {
  sessions: { variants: [{ task: { kind: "tensor" }, inputs: [] }] },
  turns,
  heard: () => {},
} as unknown as ModelStage;
const source = { refIn: async () => ({}), moved: async () => false } as unknown as SceneSource;

test.each([
  [
    "throws",
    () => {
      throw new Error("the page's own");
    },
  ],
  ["rejects", () => Promise.reject(new Error("the page's own"))],
])("a listener that %s ends no search for everything", async (_, listener) => {
  const report = vi.spyOn(globalThis, "reportError").mockImplementation(() => {});
  const heard = vi.fn(listener);
  const found = await new StageRuns(stage, source).everything(everythingSettings({}), undefined, heard);
  expect(found).toEqual({ masks: Array(PARTS).fill("mask") });
  expect(heard).toHaveBeenLastCalledWith({ done: PARTS, total: PARTS });
  expect(report.mock.calls).toEqual(Array(PARTS).fill([new Error("the page's own")]));
  report.mockRestore();
});
