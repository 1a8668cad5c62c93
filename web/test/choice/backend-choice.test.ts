import { afterEach, describe, expect, test } from "vitest";
import type { Model } from "../../src/index.js";
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
  test("is timed when nobody waits, goes where it is faster, and begins there on the next visit", async () => {
    const image = await picture("upright.png");
    const model = await loadKept();
    expect(model.backend).toBe("webgpu");
    expect(model.info().choice).toMatchObject({ times: null, reason: /nobody waits/ });
    const before = await model.run(image);
    await expect.poll(() => model.info().choice.times, { timeout: 60_000 }).not.toBeNull();
    const { times, reason } = model.info().choice;
    expect(times?.wasm.length).toBeGreaterThan(2);
    expect(times?.webgpu.length).toBe(times?.wasm.length);
    const best = Math.min(...(times?.wasm ?? [])) < Math.min(...(times?.webgpu ?? [])) ? "WASM" : "WebGPU";
    expect(reason).toContain(best);
    await expect.poll(() => model.reason, { timeout: 5000 }).toMatch(/takes .* a run here/);
    const after = await model.run(image);
    expect(after).toMatchObject({ kind: before.kind, backend: model.backend });
    expect(model.warnings).toEqual([]);
    const second = await loadKept();
    expect([second.backend, second.reason]).toEqual([model.backend, reason]);
    expect((await second.run(image)).backend).toBe(model.backend);
  }, 120_000);

  test("says why it does not choose", async () => {
    const asked = await loadTiny({ backend: "wasm" }, "conv.json");
    expect(asked.info().choice).toEqual({ reason: 'backend "wasm" was asked for', times: null });
    const kept = await loadTiny({}, "conv.json");
    expect(kept.info().choice.reason).toMatch(/nothing is kept/);
  });

  test("refuses another preference", async () => {
    const options = { prefer: "speed" } as never;
    await expect(runtime.load(bundle("conv.json"), options)).rejects.toMatchObject({
      code: "invalid-option",
    });
  });
});
