// What happens to scenes when their model moves to another engine or backend.

import { describe, expect, inject, test } from "vitest";
import { bundle, hasWebgpu, loadTiny, runtime, withWorker } from "../support/bundle.js";
import { countCalls, loseAt, losing } from "../support/device-loss.js";
import { frame } from "../support/frames.js";
import { refuse } from "../support/refusing.js";
import { expectAnswer, expectAnswers, expectThree, pointFeeds } from "../support/scenes.js";
import { expectFlat, loss } from "../support/soak.js";

const lost = { code: "device-lost" };

describe.runIf(hasWebgpu)("a scene whose GPU is lost", () => {
  test("answers as before, whenever in a run that happens: the first stage runs again, once", {
    tags: ["soak"],
  }, async () => {
    await expectFlat(loss("between stages", "first stage run again, same answer"), async (turn) => {
      await losing({}, async (started) => {
        const model = await runtime.load(bundle("stages.json"), { backend: "webgpu", cache: false });
        const scene = await model.look(frame(0));
        await expectAnswers(scene, 0, [0]);
        await countCalls();
        await expectAnswers(scene, 0, [1]);
        const calls = await countCalls();
        await loseAt(Math.floor((calls * turn) / inject("times")));
        await expectAnswers(scene, 0, [2]);
        expect([started(), model.info().stages?.map(({ backend }) => backend)]).toEqual([
          2,
          ["webgpu", "webgpu"],
        ]);
        await countCalls();
        await expectAnswers(scene, 0, [1]);
        expect(await countCalls()).toBeLessThanOrEqual(calls + 1);
        expect(model.warnings.map(({ code }) => code)).toEqual([lost.code]);
        await model.dispose();
      });
    });
  });

  test("with a third stage: all but the last run again", async () => {
    await losing({}, async (started) => {
      const model = await loadTiny({ backend: "webgpu" }, "three-stages.json");
      const scene = await model.look(frame(0));
      await loseAt(0);
      await expectThree(scene, 0);
      await loseAt(9);
      await expectThree(await model.look(frame(1)), 1);
      await expectThree(scene, 0, [1]);
      expect(started()).toBe(3);
    });
  });

  test("in look(): the image is encoded again", async () => {
    await losing({}, async (started) => {
      const model = await loadTiny({ backend: "webgpu" }, "stages.json");
      await loseAt(0);
      const scene = await model.look(frame(1));
      await expectAnswers(scene, 1);
      expect(started()).toBe(2);
    });
  });

  test("among others: each is encoded again at its next run", async () => {
    await losing({}, async (started) => {
      const model = await loadTiny({ backend: "webgpu" }, "stages.json");
      const scenes = await Promise.all([0, 1, 2].map((step) => model.look(frame(step))));
      await loseAt(0);
      const asked = scenes.map((scene) => [scene.runTensors(pointFeeds(0)), scene.runTensors(pointFeeds(1))]);
      for (const [step, answers] of asked.entries())
        for (const [point, answer] of answers.entries()) expectAnswer(await answer, step, point);
      expect(started()).toBe(2);
    });
  });

  test("where another look() notices the loss first", async () => {
    await losing({}, async (started) => {
      const model = await loadTiny({ backend: "webgpu" }, "stages.json");
      const scene = await model.look(frame(0));
      await loseAt(0);
      await expectAnswers(await model.look(frame(1)), 1, [0]);
      await expectAnswers(scene, 0);
      expect(started()).toBe(2);
    });
  });

  test("while it is aborted or released: that ends at once, and the model goes on", async () => {
    await losing({}, async () => {
      const model = await loadTiny({ backend: "webgpu" }, "stages.json");
      const [first, second] = [await model.look(frame(0)), await model.look(frame(1))];
      await loseAt(0);
      const signal = AbortSignal.timeout(120);
      const dropped = expect(first.runTensors(pointFeeds(0), { signal })).rejects.toMatchObject({
        code: "aborted",
      });
      await Promise.all([dropped, second.release()]);
      await expectAnswers(first, 0, [1]);
    });
  });
});

describe.runIf(hasWebgpu)("a scene whose last stage moves from the GPU to WASM", () => {
  test("is read back once, and the first stage stays", async () => {
    await withWorker("worker-refusing.js", async () => {
      const model = await loadTiny({}, "stages.json");
      const scene = await model.look(frame(0));
      await expectAnswers(scene, 0, [0]);
      await refuse();
      await expectAnswers(scene, 0);
      await expectAnswers(await model.look(frame(1)), 1);
      expect(model.info().stages?.map(({ backend }) => backend)).toEqual(["webgpu", "wasm"]);
      expect(model.warnings).toMatchObject([
        { code: "gpu-error", message: expect.stringMatching(/^decoder: /) },
      ]);
    });
  });
});
