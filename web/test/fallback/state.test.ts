// What happens to a model's state when the model moves to another engine or backend.

import { describe, expect, inject, test } from "vitest";
import { bundle, hasWebgpu, loadTiny, runtime, withWorker } from "../support/bundle.js";
import { countCalls, loseAt, losing } from "../support/device-loss.js";
import { answerOf, errorAt, frame, runFrames } from "../support/frames.js";
import { refuse } from "../support/refusing.js";
import { expectFlat, loss } from "../support/soak.js";

const CLOSE = 2e-5;

describe.runIf(hasWebgpu)("a state whose GPU is lost", () => {
  test("is zeros again, and the run says so, whenever in a run that happens", {
    tags: ["soak"],
  }, async () => {
    await expectFlat(loss("with state", "state-reset, then as from the start"), async (turn) => {
      await losing({}, async (started) => {
        const model = await runtime.load(bundle("recurrent.json"), { backend: "webgpu", cache: false });
        const first = await runFrames(model, 0, 3);
        await countCalls();
        await model.run(frame(3));
        await loseAt(Math.floor(((await countCalls()) * turn) / inject("times")));
        const again = await model.run(frame(0));
        expect(again.warnings).toMatchObject([
          { code: "state-reset", message: expect.stringContaining("the state after 4 runs") },
        ]);
        expect([started(), model.backend, model.state?.steps]).toEqual([2, "webgpu", 1]);
        expect([answerOf(again), ...(await runFrames(model, 1, 3))]).toEqual(first);
        expect(model.warnings.map(({ code }) => code)).toEqual(["device-lost", "state-reset"]);
        await model.dispose();
      });
    });
  });

  test("is restored if it was in memory too", async () => {
    await losing({}, async (started) => {
      const model = await loadTiny({ backend: "webgpu" }, "recurrent.json");
      await runFrames(model, 0, 3);
      await model.snapshot();
      await loseAt(0);
      const next = await model.run(frame(3));
      expect([next.warnings, started(), model.state?.steps]).toEqual([[], 2, 4]);
      expect(errorAt(3, answerOf(next))).toBeLessThan(CLOSE);
    });
  });

  test("is lost for every stream, each of which reports it once", async () => {
    await losing({}, async () => {
      const model = await loadTiny({ backend: "webgpu" }, "recurrent.json");
      const states = [model.newState(), model.newState()];
      for (const state of states) await model.run(frame(0), { state });
      await loseAt(0);
      const results = await Promise.all(states.map((state) => model.run(frame(0), { state })));
      const next = await Promise.all(states.map((state) => model.run(frame(1), { state })));
      for (const { warnings } of results) expect(warnings).toMatchObject([{ code: "state-reset" }]);
      for (const { warnings } of next) expect(warnings).toEqual([]);
      for (const result of results) expect(errorAt(0, answerOf(result))).toBeLessThan(CLOSE);
      for (const result of next) expect(errorAt(1, answerOf(result))).toBeLessThan(CLOSE);
    });
  });
});

describe.runIf(hasWebgpu)("a state whose model moves from the GPU to WASM", () => {
  test("moves with it, for every stream", async () => {
    await withWorker("worker-refusing.js", async () => {
      const model = await loadTiny({}, "recurrent.json");
      const other = model.newState();
      await runFrames(model, 0, 3);
      await model.run(frame(0), { state: other });
      await refuse();
      const moved = await model.run(frame(3));
      expect([model.backend, moved.backend, moved.warnings]).toEqual(["wasm", "wasm", []]);
      expect(errorAt(3, answerOf(moved))).toBeLessThan(CLOSE);
      const concurrent = await model.run(frame(1), { state: other });
      expect([concurrent.warnings, other.steps]).toEqual([[], 2]);
      expect(errorAt(1, answerOf(concurrent))).toBeLessThan(CLOSE);
      expect(model.warnings).toMatchObject([{ code: "gpu-error" }]);
    });
  });
});
