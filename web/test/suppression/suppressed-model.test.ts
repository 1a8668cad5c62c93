import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Model, RunOptions } from "../../src/index.js";
import { hasWebgpu, loadTiny, picture, withWorker } from "../support/bundle.js";
import { countCalls, loseAt, losing } from "../support/device-loss.js";

const MANIFEST = "suppressed.json";
const webgpu = { backend: "webgpu" } as const;
const THRESHOLDS: readonly RunOptions[] = [
  {},
  { confidence: 0.1 },
  { confidence: 0.1, iou: 0.9 },
  { iou: 0 },
  { confidence: 0.7, iou: 0.9 },
  { confidence: 1 },
];
let pictures: (Blob | ImageData)[];
let wanted: unknown[];

/** Returns the detections in one image after another, at all the thresholds. Float32 scores differ in their last digits. */
async function answers(model: Model): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const image of pictures)
    for (const options of THRESHOLDS) {
      const result = await model.run(image, options);
      if (result.kind !== "detect") throw new Error(result.kind);
      expect(result.fallback).toBeNull();
      found.push(
        result.detections.map(({ box, score, label }) => ({
          label,
          numbers: [box.x1, box.y1, box.x2, box.y2, score].map((value) => Number(value.toFixed(3))),
        })),
      );
    }
  return found;
}

describe.runIf(hasWebgpu)("a graph that ends before its NMS", () => {
  beforeAll(async () => {
    pictures = [await picture("upright.png"), new ImageData(9, 31), await picture("alpha.png")];
    const model = await loadTiny({ backend: "wasm" }, MANIFEST);
    expect(model.info().suppression).toBeNull();
    wanted = await answers(model);
    await model.dispose();
    const counts = wanted.map((each) => (each as unknown[]).length);
    expect(new Set(counts).size).toBeGreaterThan(2);
    expect(new Set(wanted.map((each) => JSON.stringify(each))).size).toBeGreaterThan(8);
  });

  beforeEach(() => caches.delete("webbuild-self-tests"));

  test("finds what the whole graph finds, at the thresholds of every run, and passes its self-test", async () => {
    const model = await loadTiny(webgpu, MANIFEST);
    expect(model.info()).toMatchObject({ suppression: { path: "gpu" }, selfTest: { sample: "noise" } });
    expect(await answers(model)).toEqual(wanted);
    expect([model.backend, model.warnings]).toEqual(["webgpu", []]);
  });

  test("finds the same when captured, whatever it got before", async () => {
    const model = await withWorker("worker-hardware.js", () => loadTiny(webgpu, MANIFEST));
    expect(model.info()).toMatchObject({ graphCapture: { used: true }, suppression: { path: "gpu" } });
    for (let time = 0; time < 2; time++) expect(await answers(model)).toEqual(wanted);
  });

  test("finds the same in concurrent runs", async () => {
    const model = await withWorker("worker-hardware.js", () => loadTiny(webgpu, MANIFEST));
    const both = await Promise.all([answers(model), answers(model)]);
    expect(both).toEqual([wanted, wanted]);
  });

  test("finds the same after its GPU was lost, before the shader and in it", {
    timeout: 120_000,
  }, async () => {
    let calls = 0;
    await losing({}, async () => {
      const model = await loadTiny(webgpu, MANIFEST);
      await countCalls();
      await answers(model);
      calls = (await countCalls()) / wanted.length;
      await model.dispose();
    });
    expect(calls).toBeGreaterThan(15);
    for (const part of [0, 0.4, 0.6, 0.75, 0.9]) {
      await losing({}, async (started) => {
        const model = await loadTiny(webgpu, MANIFEST);
        await loseAt(Math.floor(part * calls));
        expect(await answers(model), `lost at ${part} of ${calls}`).toEqual(wanted);
        expect([started(), model.backend, model.info().suppression?.path]).toEqual([2, "webgpu", "gpu"]);
        await model.dispose();
      });
    }
  });

  test("finds the same on WASM, where it moves when there is no GPU any more", async () => {
    await losing({ later: 0 }, async () => {
      const model = await loadTiny({}, MANIFEST);
      expect(model.info().suppression).toMatchObject({ path: "gpu" });
      await loseAt(0);
      expect(await answers(model)).toEqual(wanted);
      expect([model.backend, model.info().suppression]).toEqual(["wasm", null]);
      expect(model.warnings).toMatchObject([{ code: "device-lost" }]);
    });
  });
});
