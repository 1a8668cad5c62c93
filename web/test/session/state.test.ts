import { describe, expect, test } from "vitest";
import type { Model, Tensors } from "../../src/index.js";
import { backends, hasWebgpu, keepEngine, loadTiny, withWorker } from "../support/bundle.js";
import { answerOf, errorAt, frame, runFrames, sums, WANTED } from "../support/frames.js";
import { memoryUse, readBack } from "../support/measured.js";
import { whenPosted } from "../support/posted.js";
import { inProxies } from "../support/proxies.js";

function numbers(tensors: Tensors, name: string): number[] {
  return Array.from(tensors[name]?.data ?? [], Number);
}

describe.each(backends)("a model with state, on %s", (backend) => {
  keepEngine(backend);

  const load = (manifest = "recurrent.json"): Promise<Model> => loadTiny({ backend }, manifest);

  test("gives native ONNX Runtime's results for 300 images, each after the one before", async () => {
    const model = await load();
    const answers = await runFrames(model, 0, WANTED.length);
    const errors = answers.map((answer, step) => errorAt(step, answer));
    expect(Math.max(...errors)).toBeLessThan(2e-5);
    expect(model.state?.steps).toBe(300);
    expect(model.warnings).toEqual([]);
  });

  test("gives them for 300 frames of tensors, where its result is also its state", async () => {
    const model = await load("average.json");
    const wanted: number[][] = [];
    const generated = sums();
    const frames = Array.from({ length: 300 }, () => {
      const { feeds, y } = generated.next().value;
      wanted.push(y);
      return feeds;
    });
    let step = 0;
    for await (const outputs of model.streamTensors(frames)) {
      expect(Object.keys(outputs)).toEqual(["y"]);
      const off = numbers(outputs, "y").map((value, at) =>
        Math.abs(value - (wanted[step]?.[at] ?? Number.NaN)),
      );
      expect(Math.max(...off), `step ${step}`).toBeLessThan(1e-4);
      step++;
    }
    expect(step).toBe(300);
    expect(model.state?.steps).toBe(0);
  });

  test("starts from zeros after reset(), bit for bit", async () => {
    const model = await load();
    const first = await runFrames(model, 0, 3);
    await model.reset();
    expect(model.state?.steps).toBe(0);
    expect(await runFrames(model, 0, 3)).toEqual(first);
    expect(first[1]).not.toEqual(first[0]);
  });

  test("keeps the states of two streams separate", async () => {
    const model = await load();
    const alone = await runFrames(model, 0, 8);
    const [one, two] = [model.newState(), model.newState()];
    const asked = Array.from({ length: 8 }, (_, step) => [
      model.run(frame(step), { state: one }),
      model.run(frame(7 - step), { state: two }),
    ]).flat();
    const answers = (await Promise.all(asked)).map(answerOf);
    expect(answers.filter((_, at) => at % 2 === 0)).toEqual(alone);
    await model.reset();
    const backwards: number[][] = [];
    for (let step = 7; step >= 0; step--) backwards.push(answerOf(await model.run(frame(step))));
    expect(answers.filter((_, at) => at % 2 === 1)).toEqual(backwards);
    await Promise.all([one.release(), two.release()]);
    await expect(model.run(frame(0), { state: one })).rejects.toMatchObject({ code: "invalid-option" });
  });

  test("continues from a snapshot, any number of times, in another model too", async () => {
    const model = await load();
    await runFrames(model, 0, 5);
    const snapshot = await model.snapshot();
    expect(snapshot).toMatchObject({ steps: 5, size: { width: 16, height: 16 } });
    const wanted = await runFrames(model, 5, 9);
    for (const each of [snapshot, structuredClone(snapshot)]) {
      await model.restore(each);
      expect(model.state?.steps).toBe(5);
      expect(await runFrames(model, 5, 9)).toEqual(wanted);
    }
    const other = await load();
    await other.restore(snapshot);
    expect(await runFrames(other, 5, 9)).toEqual(wanted);
  });

  test("continues from a snapshot that a framework keeps in proxies", async () => {
    const model = await load();
    await runFrames(model, 0, 2);
    const snapshot = inProxies(await model.snapshot());
    const wanted = await runFrames(model, 2, 4);
    await model.restore(snapshot);
    expect(await runFrames(model, 2, 4)).toEqual(wanted);
  });

  test("is not changed by a snapshot", async () => {
    const model = await load("average.json");
    const generated = sums();
    for (let step = 0; step < 4; step++) {
      const { feeds, y } = generated.next().value;
      await model.runTensors(feeds);
      for (const { tensors } of [await model.snapshot(), await model.snapshot()]) {
        expect(numbers(tensors, "n")).toEqual([step + 1]);
        for (const [at, value] of numbers(tensors, "s").entries()) expect(value).toBeCloseTo(y[at] ?? 0, 4);
      }
    }
  });

  test("keeps nothing of its self-test or its warm-up", async () => {
    const model = await load("recurrent-golden.json");
    if (backend === "webgpu") expect(model.info().selfTest).toMatchObject({ sample: "frame" });
    const answers = await runFrames(model, 0, 2);
    for (const [step, answer] of answers.entries()) expect(errorAt(step, answer)).toBeLessThan(2e-5);
  });

  test("resets its state to zeros if the image size changes, and says so", async () => {
    const model = await load();
    await runFrames(model, 0, 3);
    const narrow = await model.run(frame(3, 12, 20));
    expect(narrow.warnings).toMatchObject([
      {
        code: "state-reset",
        message: expect.stringContaining("16x16 to 12x20"),
        fix: expect.stringMatching(/./),
      },
    ]);
    expect(model.state?.steps).toBe(1);
    const first = answerOf(narrow);
    await model.reset();
    const again = await model.run(frame(3, 12, 20));
    expect([answerOf(again), again.warnings]).toEqual([first, []]);
    const next = await model.run(frame(4, 12, 20));
    expect([next.warnings, model.state?.steps]).toEqual([[], 2]);
  });

  test("keeps its state after an aborted or failed run", async () => {
    const model = await load();
    const wanted = await runFrames(model, 0, 6);
    await model.reset();
    await runFrames(model, 0, 3);
    for (const delay of [0, 1, 2, 4, 8]) {
      const controller = new AbortController();
      const dropped = model.run(frame(50), { signal: controller.signal });
      setTimeout(() => controller.abort(), delay);
      await dropped.catch(() => {});
      if (!controller.signal.aborted) await model.restore(await early(model));
    }
    await expect(model.run(new Blob(["no picture"]))).rejects.toMatchObject({ code: "unreadable-image" });
    expect(model.state?.steps).toBe(3);
    expect(await runFrames(model, 3, 6)).toEqual(wanted.slice(3));
  });

  test("runs in call order, also past an aborted run", async () => {
    const model = await load();
    const wanted = await runFrames(model, 0, 4);
    await model.reset();
    const controller = new AbortController();
    const asked = [0, 1].map((step) => model.run(frame(step)));
    const dropped = model.run(frame(99), { signal: controller.signal });
    asked.push(...[2, 3].map((step) => model.run(frame(step))));
    controller.abort();
    await expect(dropped).rejects.toMatchObject({ code: "aborted" });
    expect((await Promise.all(asked)).map(answerOf)).toEqual(wanted);
  });

  test("reads a state given among the tensors instead of its own", async () => {
    const model = await load("average.json");
    const { feeds } = sums().next().value;
    const s = { type: "float32", dims: [2, 3], data: new Float32Array(6).fill(100) } as const;
    const outputs = await model.runTensors({ ...feeds, s: { ...s, dims: [...s.dims] } });
    expect(numbers(outputs, "y")).toEqual(numbers(feeds, "x").map((x) => 90 + x));
    expect(numbers((await model.snapshot()).tensors, "n")).toEqual([1]);
  });
});

/** Returns the state after three frames. */
async function early(model: Model): Promise<Awaited<ReturnType<Model["snapshot"]>>> {
  const state = model.newState();
  for (let step = 0; step < 3; step++) await model.run(frame(step), { state });
  const snapshot = await state.snapshot();
  await state.release();
  return snapshot;
}

describe.runIf(hasWebgpu)("on a GPU", () => {
  test("no state is read back, and memory does not grow", async () => {
    await withWorker("worker-measured.js", async () => {
      const model = await loadTiny({ backend: "webgpu" }, "recurrent.json");
      const states = [model.newState(), model.newState()];
      const both = async (from: number, to: number): Promise<void> => {
        for (let step = from; step < to; step++)
          for (const state of states) await model.run(frame(step), { state });
      };
      await both(0, 20);
      const before = await memoryUse();
      const read = await readBack();
      await both(20, 120);
      expect((await readBack()) - read).toBe(200 * 16);
      expect(await memoryUse()).toEqual(before);
      await states[0]?.snapshot();
      expect((await readBack()) - read).toBe(200 * 16 + 4 * 16 * 16 * 4);
      expect(model.info().graphCapture).toMatchObject({ used: false });
    });
  });

  test("a state whose only run was aborted is released", async () => {
    await withWorker("worker-measured.js", async () => {
      const model = await loadTiny({ backend: "webgpu" }, "recurrent.json");
      const drop = async (): Promise<void> => {
        const state = model.newState();
        const controller = new AbortController();
        whenPosted("run", () => controller.abort());
        const dropped = model.run(frame(0), { state, signal: controller.signal });
        await expect(dropped).rejects.toMatchObject({ code: "aborted" });
        await state.release();
        await model.run(frame(0));
      };
      for (let turn = 0; turn < 8; turn++) await drop(); // the engine pools buffers
      const before = await memoryUse();
      for (let turn = 0; turn < 8; turn++) await drop();
      expect(await memoryUse()).toEqual(before);
    });
  });
});

describe("a model with state that is packed for several sizes", () => {
  keepEngine("wasm");

  const lost = [{ code: "state-reset", message: expect.stringContaining("another size") }];
  const wide = (step: number): ImageData => frame(step, 24, 16);

  test("resets its state to zeros at the other size, and says so", async () => {
    const model = await loadTiny({ backend: "wasm" }, "recurrent-sizes.json");
    const first = await runFrames(model, 0, 3);
    expect((await model.run(wide(0))).warnings).toMatchObject(lost);
    const second = await model.run(wide(1));
    expect([second.warnings, second.size, model.state?.steps]).toEqual([[], [24, 16], 2]);
    const back = await model.run(frame(0));
    expect(back.warnings).toMatchObject(lost);
    expect([answerOf(back), ...(await runFrames(model, 1, 3))]).toEqual(first);
  });

  test("continues from a snapshot at the snapshot's size", async () => {
    const model = await loadTiny({ backend: "wasm" }, "recurrent-sizes.json");
    await model.run(wide(0));
    const snapshot = await model.snapshot();
    expect(snapshot.tensors.h0?.dims).toEqual([1, 4, 16, 24]);
    const wanted = answerOf(await model.run(wide(1)));
    await model.restore(snapshot);
    expect(answerOf(await model.run(wide(1)))).toEqual(wanted);
    await model.restore(snapshot);
    const other = await model.run(frame(0));
    expect(other.warnings).toMatchObject(lost);
    expect(errorAt(0, answerOf(other))).toBeLessThan(2e-5);
  });
});

describe("a model with state refuses", () => {
  keepEngine("wasm");

  const refused = { code: "invalid-state", fix: expect.stringMatching(/./) };

  test("a snapshot of another model, or no snapshot", async () => {
    const model = await loadTiny({ backend: "wasm" }, "recurrent.json");
    const other = await loadTiny({ backend: "wasm" }, "average.json");
    await expect(model.restore(await other.snapshot())).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining("wanted h0 float32 [1, 4, 16, 16], got s float32 [2, 3], n int64 [1]"),
    });
    const snapshot = await model.snapshot();
    const h0 = { type: "float32", dims: [1, 4, 8, 8], data: new Float32Array(256) } as const;
    const wrong = { ...snapshot, tensors: { h0: { ...h0, dims: [...h0.dims] } } };
    await expect(model.restore(wrong)).rejects.toMatchObject(refused);
    await expect(model.restore(null as never)).rejects.toMatchObject(refused);
    for (const part of [
      { steps: -1 },
      { steps: 0.5 },
      { steps: Number.NaN },
      { size: undefined },
      { size: {} },
      { size: { width: 0, height: 16 } },
      { size: { width: 16, height: 1.5 } },
    ])
      await expect(
        model.restore({ ...snapshot, ...part } as never),
        JSON.stringify(part),
      ).rejects.toMatchObject({
        ...refused,
        message: expect.stringContaining("steps must be a whole number"),
      });
    expect(model.state?.steps).toBe(0);
  });

  test("a state of another shape among the tensors, and keeps its own", async () => {
    const model = await loadTiny({ backend: "wasm" }, "average.json");
    const { feeds } = sums().next().value;
    await model.runTensors(feeds);
    const { tensors } = await model.snapshot();
    const s = { type: "float32", dims: [3, 2], data: new Float32Array(6) } as const;
    await expect(model.runTensors({ ...feeds, s: { ...s, dims: [...s.dims] } })).rejects.toMatchObject({
      code: "invalid-input",
      message: expect.stringContaining("s: wanted float32 [2, 3]"),
    });
    expect((await model.snapshot()).tensors).toEqual(tensors);
    expect(model.state?.steps).toBe(1);
  });

  test("a state of another model", async () => {
    const model = await loadTiny({ backend: "wasm" }, "recurrent.json");
    const other = await loadTiny({ backend: "wasm" }, "recurrent.json");
    const wrong = model.run(frame(0), { state: other.newState() });
    await expect(wrong).rejects.toMatchObject({ code: "invalid-option" });
  });
});

test("a model without state refuses to read it, and reset() does nothing", async () => {
  const model = await loadTiny({ backend: "wasm" }, "conv.json");
  await model.reset();
  expect(model.state).toBeNull();
  await expect(model.snapshot()).rejects.toMatchObject({ code: "invalid-state" });
  expect(() => model.newState()).toThrow(expect.objectContaining({ code: "invalid-state" }));
});
