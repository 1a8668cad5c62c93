// A grid of clicks whose stage is lost, disposed of or aborted during the run.

import { describe, expect, test } from "vitest";
import { abortedError, WebbuildError } from "../../src/api/errors.js";
import type { Manifest } from "../../src/manifest/manifest.js";
import type { ModelStage } from "../../src/runs/model-stage.js";
import type { SceneSource } from "../../src/runs/scene-source.js";
import { StageRuns } from "../../src/runs/stage-runs.js";
import { VariantChoice } from "../../src/runs/variant-choice.js";
import { everythingSettings } from "../../src/tasks/mask-generation/everything/settings.js";

const SIDE = 6;
const OBJECTS = 4;
const NONE = { preprocess: 0, inference: 0, postprocess: 0, total: 0 };
const points = (objects: number) => ({
  task: { kind: "tensor" },
  inputs: [{ kind: "point-prompt", name: "points", role: "points", shape: [1, objects, 1, 2] }],
});
const [ALONE, SEVERAL] = [points(1), points(OBJECTS)];

/** A stage that runs points, and its calls, `[begin, end]` each. `fail` may end a call, or move the session. */
function stageOf(
  fail: (session: { loaded: object; check(): void }, call: number) => void,
  variants = [ALONE],
) {
  const asked: [number, number][] = [];
  const session = {
    loaded: {},
    ready: async () => {},
    check: () => {},
    call: (call: (host: { scenes: unknown }) => unknown) => call({ scenes }),
  };
  const scenes = {
    partLines: async () => Array(SIDE ** 2).fill(null),
    runParts: async (...[, , , parts]: [unknown, unknown, unknown, number[]]) => {
      asked.push([parts[0] ?? -1, (parts.at(-1) ?? -1) + 1]);
      fail(session, asked.length);
      return { pieces: parts, timings: NONE };
    },
    joinParts: async (...[, , , { pieces }]: [unknown, unknown, unknown, { pieces: unknown[] }]) => pieces,
  };
  const turns = {
    run: async (...[, , work]: [unknown, unknown, (session: unknown, id: number) => unknown]) => ({
      answer: await work(session, 0),
    }),
  };
  const choice = new VariantChoice(variants as unknown as Manifest[]);
  const stage = { sessions: { variants }, choice, turns, recordRun: () => {} } as unknown as ModelStage;
  const source = { refFor: async () => ({}), isLost: async () => false, size: [9, 9] };
  const progress: number[] = [];
  const find = () =>
    new StageRuns(stage, source as unknown as SceneSource).everything(
      everythingSettings({ pointsPerSide: SIDE }),
      undefined,
      ({ done }) => progress.push(done),
    );
  return { find, asked, progress };
}

const all = Array.from({ length: SIDE ** 2 }, (_, at) => at);

describe("finding everything in an image", () => {
  test("continues after a GPU loss where it was: one point runs again", async () => {
    const { find, asked, progress } = stageOf((session, call) => {
      if (call !== 8) return;
      session.loaded = {};
      throw new WebbuildError("device-lost", "the GPU was lost", "load the model again");
    });
    expect(await find()).toEqual(all);
    expect(asked.slice(6, 9)).toEqual([
      [6, 7],
      [7, 8],
      [7, 8],
    ]);
    expect(asked).toHaveLength(SIDE ** 2 + 1);
    expect(progress).toEqual(all.map((at) => at + 1));
  });

  test("repeats the lost points if a run has several", async () => {
    const lose = (session: { loaded: object }, call: number): void => {
      if (call !== 3) return;
      session.loaded = {};
      throw new WebbuildError("device-lost", "the GPU was lost", "load the model again");
    };
    const { find, asked, progress } = stageOf(lose, [ALONE, SEVERAL]);
    expect(await find()).toEqual(all);
    expect(asked.slice(1, 4)).toEqual([
      [4, 8],
      [8, 12],
      [8, 12],
    ]);
    expect(progress).toEqual(all.filter((at) => at % OBJECTS === 0).map((at) => at + OBJECTS));
  });

  test.each([
    ["is disposed of", new WebbuildError("disposed", "the model was disposed", "load it again")],
    ["is aborted", abortedError()],
  ])("runs no further point if the model %s", async (_, error) => {
    const { find, asked } = stageOf((session, call) => {
      if (call !== 5) return;
      session.loaded = {};
      session.check = () => {
        throw error;
      };
      throw new Error("the worker is gone");
    });
    await expect(find()).rejects.toBe(error);
    expect(asked).toHaveLength(5);
  });

  test("ends with the error of a point that fails without a backend change", async () => {
    const broken = new WebbuildError("run-failed", "a kernel failed", "report it");
    const { find, asked } = stageOf((_, call) => {
      if (call === 2) throw broken;
    });
    await expect(find()).rejects.toBe(broken);
    expect(asked).toHaveLength(2);
  });
});
