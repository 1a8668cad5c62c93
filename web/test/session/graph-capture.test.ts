import { beforeEach, describe, expect, test } from "vitest";
import type { Model, TensorData } from "../../src/index.js";
import type { Graph } from "../../src/manifest/manifest.js";
import { guardCapture, planCapture } from "../../src/session/graph-capture.js";
import { bundle, hasWebgpu, loadTiny, picture, withWorker } from "../support/bundle.js";
import { countCalls, loseAt, losing } from "../support/device-loss.js";
import { GRAPH } from "../support/graphs.js";

const webgpu = { backend: "webgpu" } as const;
const verdicts = "webbuild-findings";
const right = { used: true, reason: expect.stringContaining("right in the self-test") };

/** On an adapter that is treated as hardware. */
const loadCaptured = (): Promise<Model> =>
  withWorker("worker-hardware.js", () => loadTiny(webgpu, "golden.json"));

/** Returns the results of one image and then another, again and again. */
async function answers(models: readonly Model[]): Promise<TensorData["data"][]> {
  const pictures = [await picture("upright.png"), new ImageData(9, 31), await picture("alpha.png")];
  const found: TensorData["data"][] = [];
  for (const image of [...pictures, ...pictures.toReversed()])
    for (const model of models) {
      const result = await model.run(image);
      if (result.kind === "tensor") found.push(...Object.values(result.outputs).map(({ data }) => data));
    }
  return found;
}

describe.runIf(hasWebgpu)("a captured graph", () => {
  beforeEach(() => caches.delete(verdicts));

  test("gives the same results as an uncaptured one, whatever it got before", async () => {
    const plain = await withWorker("worker-hardware.js", () =>
      loadTiny({ ...webgpu, selfTest: false }, "golden.json"),
    );
    expect(plain.info().graphCapture).toMatchObject({
      used: false,
      reason: expect.stringContaining("self-test"),
    });
    const wanted = await answers([plain]);
    expect(wanted).toHaveLength(6);
    expect(wanted[0]).not.toEqual(wanted[1]);
    for (const fromCache of [false, true]) {
      const captured = await loadCaptured();
      expect(captured.info()).toMatchObject({ graphCapture: right, selfTest: { fromCache } });
      expect(await answers([captured])).toEqual(wanted);
    }
  });

  test("can be captured and disposed of independently of others", async () => {
    const plain = await withWorker("worker-hardware.js", () =>
      loadTiny({ ...webgpu, selfTest: false }, "golden.json"),
    );
    const wanted = await answers([plain]);
    const first = await loadCaptured();
    const second = await loadCaptured();
    expect([first, second].map((model) => model.info().graphCapture)).toEqual([right, right]);
    expect(await answers([first, second])).toEqual(wanted.flatMap((each) => [each, each]));
    await first.dispose();
    expect(await answers([second])).toEqual(wanted);
  });

  test("is captured again if its GPU is lost", async () => {
    await losing({}, async (started) => {
      const model = await loadTiny(webgpu, "golden.json");
      const wanted = await answers([model]);
      await loseAt(0);
      expect(await answers([model])).toEqual(wanted);
      expect(started()).toBe(2);
      expect([model.backend, model.info().graphCapture]).toEqual(["webgpu", right]);
    });
  });

  test("is captured even if its GPU is lost in the trial", { timeout: 120_000 }, async () => {
    const load = (): Promise<Model> => loadTiny(webgpu, "golden.json");
    let calls = 0;
    await losing({}, async () => {
      const model = await load();
      calls = await countCalls();
      await model.dispose();
    });
    for (const part of [0.5, 0.75, 0.95]) {
      await caches.delete(verdicts);
      await losing({ at: Math.floor(part * calls) }, async (started) => {
        const model = await load();
        expect(model.info(), `lost at ${part} of ${calls}`).toMatchObject({ graphCapture: right });
        expect(started()).toBe(2);
        await model.dispose();
      });
    }
  });
});

describe.runIf(hasWebgpu)("a graph is not captured, and the model stays on the GPU", () => {
  beforeEach(() => caches.delete(verdicts));

  test.each([
    ["stale", "the inputs change nothing"],
    ["trap", "unreachable"],
  ])(
    "if a replay is a %s one: detected on the first visit, remembered on the second",
    async (how, reason) => {
      const plain = await loadTiny({ ...webgpu, selfTest: false }, "golden.json");
      const wanted = await answers([plain]);
      await plain.dispose();
      await withWorker(`worker-replaying.js?${how}`, async () => {
        const { Worker: Replaying } = globalThis;
        let started = 0;
        globalThis.Worker = class extends Replaying {
          constructor(...given: ConstructorParameters<typeof Worker>) {
            super(...given);
            started++;
          }
        };
        for (const workers of [2, 1]) {
          started = 0;
          const model = await loadTiny(webgpu, "golden.json");
          const { graphCapture, selfTest } = model.info();
          expect(graphCapture).toMatchObject({ used: false, reason: expect.stringContaining(reason) });
          expect([started, model.backend, model.warnings, selfTest?.sample]).toEqual([
            workers,
            "webgpu",
            [],
            "noise",
          ]);
          expect(await answers([model])).toEqual(wanted);
          await model.dispose();
        }
      });
    },
  );

  test("if the adapter is software", async () => {
    const { graphCapture } = (await loadTiny(webgpu, "golden.json")).info();
    expect(graphCapture).toEqual({ used: false, reason: expect.stringContaining("is software") });
  });

  test("if the model has state, also on hardware", async () => {
    const load = (): Promise<Model> => loadTiny(webgpu, "recurrent-golden.json");
    const { graphCapture, selfTest } = (await withWorker("worker-hardware.js", load)).info();
    expect(graphCapture).toEqual({ used: false, reason: expect.stringContaining("the model has state") });
    expect(selfTest?.sample).toBe("frame");
  });

  test("if there is no golden run", async () => {
    const load = (): Promise<Model> => loadTiny(webgpu, "conv.json");
    const { graphCapture } = (await withWorker("worker-hardware.js", load)).info();
    expect(graphCapture).toEqual({ used: false, reason: "no self-test can verify its replays" });
  });
});

test("on WASM no graph is captured", async () => {
  const { graphCapture } = (await loadTiny({ backend: "wasm" }, "golden.json")).info();
  expect(graphCapture).toEqual({ used: false, reason: "the model runs on WASM" });
});

describe("the decision before a session exists", () => {
  const graph: Graph = { ...GRAPH, file: "model.onnx", allOnGpu: true };
  const asked = {
    version: "1.30.0",
    build: "jspi",
    graph,
    software: false,
    stateful: false,
    hasLaterStages: false,
    selfTestKey: bundle("self-test/0").href,
    noCapture: null,
    warn: () => {},
  } as const;

  test("is to try capture", async () => {
    await caches.delete(verdicts);
    expect(await planCapture(asked)).toMatchObject({ used: true, unverified: true });
  });

  test.each([
    ["an engine that was not measured", { version: "1.31.0" }, "1.31.0 was not measured"],
    ["a build that was not measured", { build: "wasm" }, "was not measured"],
    ["nodes on the CPU", { graph: { ...graph, allOnGpu: false } }, "every node"],
    ["an adapter that is software", { software: true }, "is software"],
    ["state that goes from run to run", { stateful: true }, "has state"],
    ["no self-test", { selfTestKey: null }, "no self-test"],
  ] as const)("is against capture: %s", async (_, other, reason) => {
    expect(await planCapture({ ...asked, ...other })).toMatchObject({
      used: false,
      reason: expect.stringContaining(reason),
    });
  });

  test("is against capture after two unfinished trials, not after one", async () => {
    await caches.delete(verdicts);
    for (const trial of ["the first", "the second"]) {
      const plan = await planCapture(asked);
      expect(plan, trial).toMatchObject({ used: true, unverified: true });
      await guardCapture(plan, async () => {});
      // the trial goes on here, and its page is closed
      await guardCapture(plan, async () => {});
    }
    expect(await planCapture(asked)).toMatchObject({
      used: false,
      reason: "its trial did not end in 2 earlier visits",
    });
    await caches.delete(verdicts);
  });

  test("ignores trials that ended for another reason", async () => {
    await caches.delete(verdicts);
    for (let visit = 0; visit < 3; visit++) {
      const plan = await planCapture(asked);
      expect(plan.used).toBe(true);
      await expect(guardCapture(plan, () => Promise.reject(new Error("lost")))).rejects.toThrow("lost");
    }
    await caches.delete(verdicts);
  });

  test("is against capture once it failed", async () => {
    await planCapture({ ...asked, noCapture: "it trapped" });
    expect(await planCapture(asked)).toMatchObject({ used: false, reason: "it trapped" });
    await caches.delete(verdicts);
  });
});
