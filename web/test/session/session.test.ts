import { expect, test, vi } from "vitest";
import type { OrtWeb } from "../../src/engine/engine.js";
import { Session } from "../../src/session/session.js";
import { GRAPH } from "../support/graphs.js";

test.each([
  [true, "disabled"],
  [false, "all"],
])("a graph that is optimized (%s) is loaded with the engine's optimizer %s", async (optimized, level) => {
  const seen: unknown[] = [];
  const create = async (_: unknown, options: { graphOptimizationLevel: string }): Promise<unknown> => {
    seen.push(options.graphOptimizationLevel);
    return {};
  };
  const engine = { InferenceSession: { create } } as unknown as OrtWeb;
  const bytes = { model: new Uint8Array(), weights: [] };
  await Session.create(engine, { ...GRAPH, target: "wasm", optimized }, bytes, false);
  expect(seen).toEqual([level]);
});

test("if an output cannot be read, the others are released after their own reading has ended", async () => {
  const given: string[] = [];
  const reads: Record<string, () => Promise<Float32Array>> = {
    lost: () => Promise.reject(new Error("the GPU is lost")),
    slow: () => new Promise((resolve) => setTimeout(() => resolve(Float32Array.of(1)), 30)),
    kept: () => Promise.reject(new Error("it stays on the GPU")),
  };
  const tensors = Object.entries(reads).map(([name, read]) => {
    let reading = false;
    const getData = () => {
      reading = true;
      return read().finally(() => {
        reading = false;
      });
    };
    const dispose = vi.fn(() => {
      if (reading) throw new Error("The current tensor is being downloaded.");
      given.push(name);
    });
    return [name, { type: "float32", dims: [1], location: "gpu-buffer", gpuBuffer: {}, getData, dispose }];
  });
  const session = { run: async () => Object.fromEntries(tensors) };
  const engine = { InferenceSession: { create: async () => session } } as unknown as OrtWeb;
  const bytes = { model: new Uint8Array(), weights: [] };
  const opened = await Session.create(engine, GRAPH, bytes, false, ["kept"]);
  const run = opened.run({}, ["lost", "slow", "kept"], ["kept"]);
  await expect(run).rejects.toMatchObject({ code: "run-failed", message: /the GPU is lost/ });
  expect(given.toSorted()).toEqual(["kept", "lost", "slow"]);
});

test("a graph whose captured inputs cannot be allocated leaves no session", async () => {
  const released: string[] = [];
  const sessionOf = (name: string, run: () => Promise<object>): object => ({
    run,
    release: async () => void released.push(name),
  });
  const outputs = [{ dispose: () => released.push("a buffer") }];
  const allocate = async (): Promise<object> => {
    const y = outputs.pop();
    if (y === undefined) throw new Error("the GPU is full");
    return { y };
  };
  const made = [sessionOf("the graph", async () => ({})), sessionOf("its buffers", allocate)];
  const engine = { InferenceSession: { create: async () => made.shift() }, Tensor: class {} };
  const inputs = ["first", "second"].map((name) => ({ name, dtype: "float32", shape: [1] }));
  const bytes = { model: new Uint8Array(), weights: [] };
  const opened = Session.create(engine as never, GRAPH, bytes, false, [], inputs as never);
  await expect(opened).rejects.toMatchObject({ code: "no-session", message: /the GPU is full/ });
  expect(released).toEqual(["a buffer", "its buffers", "the graph"]);
});
