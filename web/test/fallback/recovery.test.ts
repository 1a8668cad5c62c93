import { beforeAll, describe, expect, inject, test } from "vitest";
import { chooseBuild } from "../../src/engine/engine.js";
import type { Model, Tensors } from "../../src/index.js";
import type { Manifest } from "../../src/manifest/manifest.js";
import { bundle, hasWebgpu, loadTiny, picture, runtime } from "../support/bundle.js";
import { countCalls, loseAt, losing } from "../support/device-loss.js";
import { expectFlat, loss } from "../support/soak.js";

const times = inject("times");
const webgpu = { backend: "webgpu" } as const;
let image: Blob;
let right: unknown;
let loadCalls = 0;
let runCalls = 0;

/** Returns a turn's moment among this many calls; the moments of all turns are evenly spread. */
const moment = (turn: number, calls: number): number => Math.floor((turn * calls) / times);

async function answer(model: Model): Promise<unknown> {
  const { timings: _, ...result } = await model.run(image);
  return result;
}

describe.runIf(hasWebgpu)("a GPU device that is lost", () => {
  beforeAll(async () => {
    image = await picture("upright.png");
    await losing({}, async () => {
      const model = await runtime.load(bundle("conv.json"), webgpu);
      loadCalls = await countCalls();
      right = await answer(model);
      runCalls = await countCalls();
      await model.dispose();
    });
    expect(right).toMatchObject({ kind: "tensor", backend: "webgpu" });
    expect(loadCalls).toBeGreaterThan(5);
    expect(runCalls).toBeGreaterThan(3);
  });

  test("while the model loads: it loads on a new one", { tags: ["soak"] }, async () => {
    await expectFlat(loss("while loading", "loaded on a new device"), async (turn) => {
      const at = moment(turn, loadCalls);
      await losing({ at }, async (started) => {
        const model = await runtime.load(bundle("conv.json"), { ...webgpu, cache: false });
        expect(await answer(model), `lost at call ${at}`).toEqual(right);
        expect(started(), `lost at call ${at}`).toBe(2);
        await model.dispose();
      });
    });
  });

  test("in a run: the run is repeated on a new one, and the model says so", { tags: ["soak"] }, async () => {
    await expectFlat(loss("in a run", "same answer on a new device"), async (turn) => {
      const at = moment(turn, runCalls);
      await losing({}, async (started) => {
        const model = await runtime.load(bundle("conv.json"), { ...webgpu, cache: false });
        await loseAt(at);
        expect(await answer(model), `lost at call ${at}`).toEqual(right);
        expect([started(), model.backend], `lost at call ${at}`).toEqual([2, "webgpu"]);
        expect(model.warnings).toMatchObject([{ code: "device-lost", fix: expect.stringMatching(/./) }]);
        expect(await answer(model)).toEqual(right);
        await model.dispose();
      });
    });
  });

  test("in a run: the new engine reuses the old one's code, and is not downloaded again", async () => {
    const manifest: Manifest = await (await fetch(bundle("conv.json"))).json();
    const { wasm } = chooseBuild(manifest, "webgpu");
    const address = URL.createObjectURL(await (await fetch(bundle(wasm))).blob());
    await losing({}, async (started) => {
      const options = { ...webgpu, cache: false, addresses: { [wasm]: address } };
      const model = await runtime.load(bundle("conv.json"), options);
      URL.revokeObjectURL(address);
      await loseAt(0);
      expect(await answer(model)).toEqual(right);
      expect(started()).toBe(2);
      await model.dispose();
      await expect(runtime.load(bundle("conv.json"), options)).rejects.toMatchObject({
        code: "download-failed",
      });
    });
  });

  test("with many concurrent runs: one engine is started, all runs resolve in order", async () => {
    await losing({}, async (started) => {
      const model = await loadTiny(webgpu, "conv.json");
      await loseAt(0);
      const order: number[] = [];
      const runs = [0, 1, 2, 3].map((index) =>
        answer(model).then((got) => {
          order.push(index);
          return got;
        }),
      );
      expect(await Promise.all(runs)).toEqual([right, right, right, right]);
      expect([started(), order]).toEqual([2, [0, 1, 2, 3]]);
    });
  });

  test("with two models in one worker: both go on, together in a new one", async () => {
    await losing({}, async (started) => {
      const pair = [await loadTiny(webgpu, "conv.json"), await loadTiny(webgpu, "conv.json")] as const;
      expect(started()).toBe(1);
      await loseAt(0);
      expect(await Promise.all(pair.map(answer))).toEqual([right, right]);
      expect(started()).toBe(2);
    });
  });

  test("again and again: a typed error, and no fallback if WebGPU was requested", async () => {
    await losing({ at: 0, later: 0 }, async (started) => {
      await expect(loadTiny(webgpu, "conv.json")).rejects.toMatchObject({ code: "device-lost" });
      expect(started()).toBe(2);
    });
    await losing({ at: 0, later: 0 }, async () => {
      const model = await loadTiny({}, "conv.json");
      expect(model.backend).toBe("wasm");
      expect(model.warnings).toMatchObject([{ code: "device-lost" }]);
    });
  });

  test("in a run and in its repetition: that run fails, the next does not", async () => {
    await losing({ later: loadCalls }, async (started) => {
      const model = await loadTiny(webgpu, "conv.json");
      await loseAt(0);
      await expect(answer(model)).rejects.toMatchObject({ code: "device-lost", pictures: [] });
      const third = losing({}, () => answer(model));
      expect(await third).toEqual(right);
      expect([started(), model.backend]).toEqual([2, "webgpu"]);
    });
  });

  test("while the model is being disposed of: the run ends, and nothing leaks", async () => {
    await losing({}, async () => {
      const model = await loadTiny(webgpu, "conv.json");
      await loseAt(0);
      const run = answer(model);
      await new Promise((resolve) => setTimeout(resolve, 120));
      await Promise.all([expect(run).rejects.toMatchObject({ code: "disposed" }), model.dispose()]);
      await expect(answer(model)).rejects.toMatchObject({ code: "disposed" });
    });
  });

  test("while its run is aborted: the run ends at once", async () => {
    await losing({}, async () => {
      const model = await loadTiny(webgpu, "conv.json");
      await loseAt(0);
      const signal = AbortSignal.timeout(120);
      await expect(model.run(image, { signal })).rejects.toMatchObject({ code: "aborted" });
      expect(await answer(model)).toEqual(right);
    });
  });
});

describe.runIf(hasWebgpu)("a kernel that fails when it runs", () => {
  const x = {
    type: "float32",
    dims: [1, 4, 5, 5, 5],
    data: Float32Array.from({ length: 500 }, (_, index) => (index % 17) / 17),
  } as const;
  const feeds: Tensors = { x: { ...x, dims: [...x.dims] } };

  test("moves the model to WASM, once, where the run is repeated", async () => {
    const model = await loadTiny({}, "throws.json");
    expect(model.backend).toBe("webgpu");
    const outputs = await Promise.all([model.runTensors(feeds), model.runTensors(feeds)]);
    const wasm = await loadTiny({ backend: "wasm" }, "throws.json");
    const wanted = await wasm.runTensors(feeds);
    expect(outputs).toEqual([wanted, wanted]);
    expect(Math.max(...Array.from(wanted.y?.data ?? [], Number))).toBeGreaterThan(0.1);
    expect(model.backend).toBe("wasm");
    expect(model.info()).toMatchObject({ adapter: null });
    expect(model.warnings).toMatchObject([
      { code: "run-failed", message: expect.stringContaining("WASM, slower") },
    ]);
    expect(model.reason).toContain("throws.onnx failed");
  });

  test("is an error if WebGPU was requested, and the next run works as the first", async () => {
    const model = await loadTiny(webgpu, "throws.json");
    const failed = { code: "run-failed", fix: expect.stringContaining("wasm") };
    await expect(model.runTensors(feeds)).rejects.toMatchObject(failed);
    await expect(model.runTensors(feeds)).rejects.toMatchObject(failed);
    expect([model.backend, model.warnings]).toEqual(["webgpu", []]);
  });
});
