// Scenes with special workers: measured ones, ones that lack something, or ones that load only the engine.

import { describe, expect, test } from "vitest";
import type { LoadOptions } from "../../src/index.js";
import { hasWebgpu, keepEngine, loadTiny, withWorker } from "../support/bundle.js";
import { frame } from "../support/frames.js";
import { memoryUse, readBack } from "../support/measured.js";
import { expectAnswers, expectThree } from "../support/scenes.js";

const ANSWER = 4 * 14 * 14;
/** Bytes of the encoder's outputs that the decoder takes. */
const BETWEEN = 4 * (8 * 14 * 14 + 4 * 16 * 16);

describe.runIf(hasWebgpu)("between stages", () => {
  keepEngine("webgpu", "worker-measured.js");

  const readAfter = async (backend: LoadOptions["backend"]): Promise<number[]> => {
    const model = await loadTiny({ backend }, "stages.json");
    const before = await readBack();
    const scene = await model.look(frame(0));
    const looked = await readBack();
    await expectAnswers(scene, 0);
    return [looked - before, (await readBack()) - looked];
  };

  test("nothing is read back if both stages are on the GPU", async () => {
    await withWorker("worker-measured.js", async () => {
      expect(await readAfter("webgpu")).toEqual([0, 3 * ANSWER]);
    });
  });

  test("each tensor is read back once if the second stage is on WASM, in the same worker", async () => {
    await withWorker("worker-measured.js", async () => {
      expect(await readAfter({ encoder: "webgpu", decoder: "wasm" })).toEqual([BETWEEN, 0]);
    });
  });

  test("the buffers of a scene are freed by its release, and not before", async () => {
    await withWorker("worker-measured.js", async () => {
      const model = await loadTiny({ backend: "webgpu" }, "stages.json");
      const scenes = await Promise.all([0, 1, 2].map((step) => model.look(frame(step))));
      for (const [step, scene] of scenes.entries()) await expectAnswers(scene, step);
      const before = await memoryUse();
      for (let turn = 0; turn < 20; turn++) {
        const more = await model.look(frame(turn % 3));
        await expectAnswers(more, turn % 3, [1]);
        await more.release();
        // Aborted before it begins, while it runs, or not at all.
        const dropped = await model.look(frame(1), { signal: AbortSignal.timeout(turn) }).catch(() => null);
        await dropped?.release();
      }
      const after = await memoryUse();
      // The engine keeps some freed buffers for the next run.
      expect(after.buffers - before.buffers).toBeLessThan(4);
      for (const [step, scene] of scenes.entries()) await expectAnswers(scene, step, [2]);
    });
  });

  test("nothing is read back between three stages", async () => {
    await withWorker("worker-measured.js", async () => {
      const model = await loadTiny({ backend: "webgpu" }, "three-stages.json");
      const before = await readBack();
      const scene = await model.look(frame(0));
      expect(await readBack()).toBe(before);
      await expectThree(scene, 0, [1]);
      expect((await readBack()) - before).toBe(ANSWER);
    });
  });
});

test("the timings of a scene include all stages but the last", async () => {
  await withWorker("worker-ticking.js", async () => {
    const looked = async (manifest: string): Promise<number> => {
      const model = await loadTiny({ backend: "wasm" }, manifest);
      return (await model.look(frame(0))).timings.postprocess;
    };
    // Nothing is decoded: the clock is read once.
    expect([await looked("stages.json"), await looked("three-stages.json")]).toEqual([1, 2]);
  });
});

test("progress names its stage, and its byte counts cover all stages", async () => {
  const heard: number[][] = [];
  const names = new Set<string | undefined>();
  const onProgress: LoadOptions["onProgress"] = ({ bytesDone, bytesTotal, modelStage }) => {
    heard.push([bytesDone, bytesTotal]);
    names.add(modelStage);
  };
  await loadTiny({ backend: "wasm", onProgress }, "stages.json");
  const [done, total] = heard.at(-1) ?? [];
  expect(done).toBe(total);
  expect([...names].toSorted()).toEqual(["decoder", "encoder"]);
  const alone: number[] = [];
  const progress: LoadOptions["onProgress"] = ({ bytesTotal, ...others }) => {
    alone.push(bytesTotal);
    expect(others).not.toHaveProperty("modelStage");
  };
  await loadTiny({ backend: "wasm", onProgress: progress }, "conv.json");
  // The engine's bytes count once.
  expect(Number(total) - Number(alone.at(-1))).toBeLessThan(100_000);
});

test("the reason that keeps both stages from WebGPU is reported once", async () => {
  const model = await withWorker("worker-without-gpu.js", () => loadTiny({}, "stages.json"));
  expect(model.info().stages?.map(({ backend }) => backend)).toEqual(["wasm", "wasm"]);
  expect(model.warnings.map(({ code }) => code)).toEqual(["no-adapter"]);
});
