// The backend choice of each stage of a model, with fake clocks: each worker's clock runs as the test says.

import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Model, Scene, TensorResult } from "../../src/index.js";
import { bundle, hasWebgpu, runtime, withWorkers } from "../support/bundle.js";
import { loseAt } from "../support/device-loss.js";
import { frame } from "../support/frames.js";
import { expectAnswer, expectThree } from "../support/scenes.js";

const ENOUGH = 3;
const SLOW = "worker-ticking.js?tick=10000";
const FAST = "worker-ticking.js?tick=1";
/** Its worker starts, and sends nothing. */
const SILENT = "worker-silent.js";

const models: Model[] = [];

afterEach(async () => {
  await Promise.all(models.splice(0).map((model) => model.dispose()));
  await Promise.all((await caches.keys()).map((name) => caches.delete(name)));
});

async function loadKept(manifest = "glued.json"): Promise<Model> {
  const model = await runtime.load(bundle(manifest));
  models.push(model);
  return model;
}

async function expectAsked(scene: Scene, step: number): Promise<void> {
  expectAnswer(((await scene.run()) as TensorResult).outputs, step, 0);
}

/** Runs often enough for the backends to be compared. */
async function askEnough(scene: Scene, step: number): Promise<void> {
  for (let asked = 0; asked < ENOUGH; asked++) await expectAsked(scene, step);
}

const backendsOf = (model: Model) => model.info().stages?.map(({ backend }) => backend);
const reasonsOf = (model: Model) => model.info().stages?.map(({ choice }) => choice.reason) ?? [];

/** Returns a function that lists the calls to these workers from here on. */
function callsToKnown(ports: Set<unknown>): () => string[] {
  const spy = vi.spyOn(MessagePort.prototype, "postMessage");
  onTestFinished(() => spy.mockRestore());
  return () =>
    spy.mock.calls.flatMap(([message], at) =>
      ports.has(spy.mock.contexts[at]) ? (Object(message).path?.join(".") ?? []) : [],
    );
}

/** Returns the ports that receive messages from here on. */
function watchPorts(): Set<unknown> {
  const ports = new Set<unknown>();
  const { postMessage } = MessagePort.prototype;
  MessagePort.prototype.postMessage = function (this: MessagePort, ...given: never) {
    ports.add(this);
    return postMessage.apply(this, given);
  } as typeof postMessage;
  onTestFinished(() => {
    MessagePort.prototype.postMessage = postMessage;
  });
  return ports;
}

describe.runIf(hasWebgpu)("the stages of a model that may choose their backends", () => {
  test("move where they are faster, keep all scenes, and start there on the next visit", async () => {
    await withWorkers([SLOW, FAST], async (started) => {
      const ports = watchPorts();
      const model = await loadKept();
      const [scene] = await Promise.all(Array.from({ length: ENOUGH }, () => model.look(frame(0))));
      if (scene === undefined) throw new Error("no scene");
      await askEnough(scene, 0);
      expect(backendsOf(model)).toEqual(["webgpu", "webgpu"]);
      const known = new Set(ports);
      const calls = callsToKnown(known);
      await expect.poll(() => backendsOf(model)?.[1], { timeout: 30_000 }).toBe("wasm");
      // Nothing was run on the visitor's workers; the stage that moved away is released.
      expect(calls()).toEqual(["scenes.read", "release"]);
      await expect.poll(() => backendsOf(model), { timeout: 30_000 }).toEqual(["wasm", "wasm"]);
      expect(calls()).toEqual(["scenes.read", "release"]);
      expect(reasonsOf(model)).toEqual(Array(2).fill(expect.stringMatching(/WASM takes .* a run here/)));
      expect(started()).toBe(3);
      await expectAsked(scene, 0);
      await expectAsked(await model.look(frame(1)), 1);
      const next = await loadKept();
      expect(backendsOf(next)).toEqual(["wasm", "wasm"]);
      expect(reasonsOf(next)).toEqual(reasonsOf(model));
      await expectAsked(await next.look(frame(2)), 2);
      expect([...model.warnings, ...next.warnings]).toEqual([]);
    });
  }, 90_000);

  test("all move if there are three, including the middle one", async () => {
    await withWorkers([SLOW, FAST], async () => {
      const model = await loadKept("three-stages.json");
      const [scene] = await Promise.all(Array.from({ length: ENOUGH }, () => model.look(frame(0))));
      if (scene === undefined) throw new Error("no scene");
      await expectThree(scene, 0);
      await expect.poll(() => backendsOf(model), { timeout: 40_000 }).toEqual(["wasm", "wasm", "wasm"]);
      await expectThree(scene, 0, [1]);
      await expectThree(await model.look(frame(1)), 1, [2]);
      expect(model.warnings).toEqual([]);
    });
  }, 90_000);

  test("stay where the others are slower, also for released images", async () => {
    await withWorkers([FAST, SLOW], async (started) => {
      const model = await loadKept();
      for (let runs = 0; runs < ENOUGH; runs++)
        expectAnswer(((await model.run(frame(1))) as TensorResult).outputs, 1, 0);
      await expect.poll(() => reasonsOf(model)[1], { timeout: 30_000 }).toMatch(/WebGPU takes .* a run here/);
      await expect.poll(() => reasonsOf(model)[0]).toBe("a later stage takes its outputs on the GPU");
      expect([backendsOf(model), started()]).toEqual([["webgpu", "webgpu"], 2]);
      const next = await loadKept();
      expect(reasonsOf(next)[1]).toBe(reasonsOf(model)[1]);
    });
  }, 90_000);

  test("delay no click while they are compared, nor the recovery of a lost GPU", async () => {
    await withWorkers(["worker-losing.js", SILENT, SILENT, "worker-losing.js"], async (started) => {
      const model = await loadKept();
      const scene = await model.look(frame(0));
      await askEnough(scene, 0);
      await expect.poll(started, { timeout: 30_000 }).toBe(2);
      await expectAsked(scene, 0);
      await expect.poll(started, { timeout: 30_000 }).toBe(3);
      await loseAt(0);
      await expectAsked(scene, 0);
      expect(backendsOf(model)).toEqual(["webgpu", "webgpu"]);
      expect(model.warnings.every(({ code }) => code === "device-lost")).toBe(true);
      await model.dispose();
      await expect(scene.run()).rejects.toMatchObject({ code: "disposed" });
    });
  }, 90_000);
});
