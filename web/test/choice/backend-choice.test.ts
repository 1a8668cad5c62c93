import { afterEach, describe, expect, test } from "vitest";
import { BackendChoice, type Compared } from "../../src/choice/backend-choice.js";
import { readChoice, writeChoice } from "../../src/choice/choice-memory.js";
import { betterBackend } from "../../src/choice/timed-runs.js";
import { requireAdapter } from "../../src/gpu/gpu-device.js";
import type { Model } from "../../src/index.js";
import type { Manifest } from "../../src/manifest/manifest.js";
import { bundle, hasWebgpu, loadTiny, picture, runtime } from "../support/bundle.js";

const models: Model[] = [];

afterEach(async () => {
  await Promise.all(models.splice(0).map((model) => model.dispose()));
  await Promise.all((await caches.keys()).map((name) => caches.delete(name)));
});

async function loadKept(prefer?: "latency" | "battery"): Promise<Model> {
  const model = await runtime.load(bundle("conv.json"), { prefer });
  models.push(model);
  return model;
}

describe.runIf(hasWebgpu)("a model that may choose its backend", () => {
  test("is timed when idle, moves where it is faster, and starts there on the next visit", async () => {
    const image = await picture("upright.png");
    const model = await loadKept();
    expect(model.backend).toBe("webgpu");
    expect(model.info().choice).toMatchObject({ times: null, reason: /is idle/ });
    const reasons: string[] = [];
    model.addEventListener("change", () => reasons.push(model.info().choice.reason));
    const before = await model.run(image);
    await expect.poll(() => model.info().choice.times, { timeout: 60_000 }).not.toBeNull();
    const { times, reason } = model.info().choice;
    expect(times?.wasm.length).toBeGreaterThan(2);
    expect(times?.webgpu.length).toBe(times?.wasm.length);
    const expected = times === null ? null : betterBackend("webgpu", times, "latency", 1);
    await expect.poll(() => model.backend, { timeout: 5000 }).toBe(expected);
    expect(reason).toMatch(/takes .* a run here/);
    expect(reasons).toContain(reason);
    const after = await model.run(image);
    expect(after).toMatchObject({ kind: before.kind, backend: model.backend });
    expect(model.warnings).toEqual([]);
    const second = await loadKept();
    expect([second.backend, second.reason]).toEqual([model.backend, reason]);
    expect((await second.run(image)).backend).toBe(model.backend);
  }, 120_000);

  test("answers all calls while it is timed and while it moves", async () => {
    const image = await picture("upright.png");
    const model = await loadKept();
    const expected = (await model.run(image)).kind;
    for (const wait of [2300, 2900]) {
      await new Promise((done) => setTimeout(done, wait));
      const answers = await Promise.all([model.run(image), model.run(image)]);
      expect(answers.map(({ kind }) => kind)).toEqual([expected, expected]);
    }
    await expect.poll(() => model.info().choice.reason, { timeout: 60_000 }).not.toMatch(/is idle/);
    expect((await model.run(image)).backend).toBe(model.backend);
    expect(model.warnings).toEqual([]);
  }, 120_000);

  test("can be disposed of while it is timed: nothing leaks, and nothing fails", async () => {
    const image = await picture("upright.png");
    const model = await loadKept();
    await model.run(image);
    await new Promise((done) => setTimeout(done, 2300));
    await model.dispose();
    await new Promise((done) => setTimeout(done, 3000));
    expect(model.info().choice.reason).not.toMatch(/not compared/);
    await expect(model.run(image)).rejects.toMatchObject({ code: "disposed" });
  }, 60_000);

  test.each([
    [-1, true],
    [-61, false],
    // The clock was ahead: the choice would apply until then.
    [1, false],
  ])("a choice dated %i days ahead is remembered: %s", async (days, isKnown) => {
    const manifest: Manifest = await (await fetch(bundle("conv.json"))).json();
    const asked = { prefer: "latency", precision: "auto", backend: "auto" } as const;
    const read = () => readChoice(manifest, bundle("").href, asked, () => {});
    const { key } = await read();
    const { info: adapter } = await requireAdapter();
    const at = Date.now() + days * 86_400_000;
    const choice = { backend: "wasm", reason: "of a test", times: null, adapter, at } as const;
    await writeChoice(key, choice, () => {});
    expect((await read()).known?.reason).toBe(isKnown ? choice.reason : undefined);
  });

  test("gives a reason for not choosing", async () => {
    const asked = await loadTiny({ backend: "wasm" }, "conv.json");
    expect(asked.info().choice).toEqual({ reason: 'backend "wasm" was requested', times: null });
    const kept = await loadTiny({}, "conv.json");
    expect(kept.info().choice.reason).toMatch(/could not be stored/);
  });

  test("refuses an unknown preference", async () => {
    const options = { prefer: "speed" } as never;
    await expect(runtime.load(bundle("conv.json"), options)).rejects.toMatchObject({
      code: "invalid-option",
    });
  });
});

test("stays where it is if a comparison fails when idle, with the reason", async () => {
  const memory = { key: "", known: null };
  const findTrial = () => Promise.reject(new TypeError("nothing was cloned"));
  const choice = new BackendChoice({ memory, findTrial } as unknown as Compared);
  await choice.choose(new AbortController().signal);
  expect(choice.info.reason).toBe("the backends were not compared: nothing was cloned");
  expect(choice.isMade).toBe(true);
});
