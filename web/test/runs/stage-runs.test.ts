import { describe, expect, test, vi } from "vitest";
import { abortedError, WebbuildError } from "../../src/api/errors.js";
import type { Manifest } from "../../src/manifest/manifest.js";
import type { ModelStage } from "../../src/runs/model-stage.js";
import type { SceneSource } from "../../src/runs/scene-source.js";
import { StageRuns } from "../../src/runs/stage-runs.js";
import { VariantChoice } from "../../src/runs/variant-choice.js";
import { everythingSettings } from "../../src/tasks/mask-generation/everything/settings.js";
import type { JoinedParts } from "../../src/worker/part-run.js";

const PARTS = 3;
const scenes = {
  partLines: async () => Array(PARTS).fill(null),
  runParts: async () => ({
    pieces: ["mask"],
    timings: { preprocess: 0, inference: 1, postprocess: 0, total: 1 },
  }),
  joinParts: async (...[, , , { pieces }]: [unknown, unknown, unknown, { pieces: unknown[] }]) => ({
    masks: pieces,
  }),
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
const ALONE = { task: { kind: "tensor" }, inputs: [] } as unknown as Manifest;
const stage = {
  sessions: { variants: [ALONE] },
  choice: new VariantChoice([ALONE]),
  turns,
  recordRun: () => {},
} as unknown as ModelStage;
const source = { refFor: async () => ({}), isLost: async () => false } as unknown as SceneSource;

test.each([
  [
    "throws",
    () => {
      throw new Error("the page's own");
    },
  ],
  ["rejects", () => Promise.reject(new Error("the page's own"))],
])("a listener that %s does not end the search for everything", async (_, listener) => {
  const report = vi.spyOn(globalThis, "reportError").mockImplementation(() => {});
  const heard = vi.fn(listener);
  const found = await new StageRuns(stage, source).everything(everythingSettings({}), undefined, heard);
  expect(found).toEqual({ masks: Array(PARTS).fill("mask") });
  expect(heard).toHaveBeenLastCalledWith({ done: PARTS, total: PARTS });
  expect(report.mock.calls).toEqual(Array(PARTS).fill([new Error("the page's own")]));
  report.mockRestore();
});

describe("1,000 crops", () => {
  const CROPS = 1000;
  const BATCH = 4;

  /** A stage that runs four crops at once, and its worker's calls. `fail` may end a call. */
  function crops(
    count = CROPS,
    fail: (batches: number) => unknown = () => {},
    lines: ([number, number] | null)[] = Array(count).fill(null),
  ) {
    const batches: number[] = [];
    const joined: unknown[][] = [];
    const kept: unknown[][] = [];
    const host = {
      partLines: async () => lines,
      runParts: async (...[, , , parts]: [unknown, unknown, unknown, number[]]) => {
        batches.push(parts.length);
        return { pieces: parts, timings: { preprocess: 1, inference: 1, postprocess: 1, total: 3 } };
      },
      joinParts: async (...[, , , { pieces, timings }]: [unknown, unknown, unknown, JoinedParts]) => {
        joined.push([...pieces]);
        return { pieces, timings, warnings: [], postprocess: "cpu" };
      },
      keepParts: async (...[, , { pieces, timings }]: [unknown, unknown, JoinedParts]) => {
        kept.push([...pieces]);
        return { timings, warnings: [] };
      },
    };
    const check = (signal?: AbortSignal): void => {
      if (signal?.aborted) throw abortedError(signal);
      const error = fail(batches.length);
      if (error !== undefined) throw error;
    };
    const calling = {
      loaded: { info: {} },
      ready: async () => {},
      check,
      warn: () => {},
      call: async (call: (host: unknown) => unknown, _retry: unknown, signal?: AbortSignal) => {
        check(signal);
        return call({ scenes: host });
      },
    };
    const variants = [8, 16].flatMap((width) =>
      [1, BATCH].map((batch) => {
        const inputs = [{ kind: "crop", layout: "nchw", shape: [batch, 3, 8, width] }];
        return { task: { kind: "keypoints" }, inputs } as unknown as Manifest;
      }),
    );
    const looking = {
      recordRun: () => {},
      session: calling,
      sessions: { variants },
      choice: new VariantChoice(variants),
      turns: {
        run: async (...[, , work]: [unknown, unknown, (session: unknown, id: number) => unknown]) => ({
          answer: await work(calling, 0),
        }),
      },
    };
    return { batches, joined, kept, runs: new StageRuns(looking as unknown as ModelStage, source) };
  }

  test("run in batches, each of which is reported", async () => {
    const { batches, runs } = crops(1003);
    const heard = vi.fn();
    const result = await runs.run({}, undefined, heard);
    expect(batches).toEqual([...Array(250).fill(BATCH), 1, 1, 1]);
    expect(result).toMatchObject({ pieces: Array.from({ length: 1003 }, (_, at) => at) });
    expect(result.timings.total).toBe(3 * 253);
    expect(heard).toHaveBeenCalledTimes(253);
    expect(heard.mock.calls[9]).toEqual([{ done: 40, total: 1003 }]);
    expect(heard).toHaveBeenLastCalledWith({ done: 1003, total: 1003 });
  });

  test("of several widths run where each fits, and their results stay in order", async () => {
    const lines: [number, number][] = [9, 8, 30, 7, 8, 8, 8].map((width) => [width, 8]);
    const { batches, runs } = crops(lines.length, () => {}, lines);
    const result = await runs.run({}, undefined);
    expect(batches).toEqual([1, 1, 4, 1]);
    expect(result).toMatchObject({ pieces: [0, 1, 2, 3, 4, 5, 6] });
  });

  test("of a middle stage are kept for the next, and give no result themselves", async () => {
    const { batches, joined, kept, runs } = crops(6);
    expect(await runs.advanceCrops(undefined)).toMatchObject({ warnings: [] });
    expect([batches, joined, kept]).toEqual([[4, 1, 1], [], [[0, 1, 2, 3, 4, 5]]]);
  });

  test("end if the run is aborted", async () => {
    const { batches, joined, runs } = crops();
    const dropping = new AbortController();
    const heard = ({ done }: { done: number }): void => {
      if (done === 40) dropping.abort();
    };
    await expect(runs.run({}, dropping.signal, heard)).rejects.toMatchObject({ code: "aborted" });
    expect([batches.length, joined]).toEqual([10, []]);
  });

  test("end if the model is disposed of", async () => {
    const disposed = new WebbuildError("disposed", "the model was used after dispose()", "call load() again");
    const { batches, joined, runs } = crops(CROPS, (batches) => (batches === 10 ? disposed : undefined));
    await expect(runs.run({}, undefined)).rejects.toBe(disposed);
    expect([batches.length, joined]).toEqual([10, []]);
  });

  test("without people there is no run, and an empty result", async () => {
    const { batches, runs } = crops(0);
    const heard = vi.fn();
    expect(await runs.run({}, undefined, heard)).toMatchObject({ pieces: [] });
    expect([batches, heard.mock.calls]).toEqual([[], []]);
  });
});
