import { describe, expect, test } from "vitest";
import type { Model, Result } from "../../src/index.js";
import { hasWebgpu, keepEngine, loadTiny, picture, sharedTiny, withWorker } from "../support/bundle.js";
import { expectClose } from "../support/compare-tensors.js";

/** One level of 255: the tiny input goes from 0 to 1. */
const LEVEL = 1 / 255;

async function numbers(result: Promise<Result>): Promise<number[]> {
  const answer = await result;
  if (answer.kind !== "pose") throw new Error(`a ${answer.kind} result`);
  return answer.poses.flatMap(({ box, score }) => [...Object.values(box), score]);
}

async function fed(model: Model, source: Blob | ImageData): Promise<Float32Array> {
  return (await model.preprocess(source)).data as Float32Array;
}

describe.runIf(hasWebgpu)("images are preprocessed on the GPU", () => {
  const onGpu = sharedTiny({ backend: "webgpu" });
  const onCpu = sharedTiny({ backend: "webgpu", processing: "cpu" });

  test("and the model, its info and every result report it", async () => {
    const reason = "GPU and CPU preprocess a picture to the same tensor";
    const usual = { path: "gpu", texture: "copied" };
    expect(onGpu().info().preprocess).toMatchObject({
      ...usual,
      reason: expect.stringContaining(`${reason}; VideoF`),
    });
    expect((await onGpu().run(await picture("upright.png"))).preprocess).toEqual({ ...usual, reason });
  });

  test.each(["upright.png", "turned.jpg", "alpha.png", "gamma.png"])(
    "and give the same tensor: %s",
    async (name) => {
      const file = await picture(name);
      expectClose(await fed(onGpu(), file), await fed(onCpu(), file), LEVEL);
      expectClose(await numbers(onGpu().run(file)), await numbers(onCpu().run(file)), 1e-3);
    },
  );

  test("one after another, of any size", async () => {
    const sizes = [
      [40, 24],
      [3, 77],
      [500, 331],
      [40, 24],
    ] as const;
    for (const [width, height] of sizes) {
      const data = Uint8ClampedArray.from({ length: width * height * 4 }, (_, at) => (at * at) % 251);
      const drawn = new ImageData(data, width, height);
      expectClose(await fed(onGpu(), drawn), await fed(onCpu(), drawn), LEVEL);
    }
  });

  test("except one that is too large, which the CPU preprocesses, with a reason", async () => {
    const wide = new ImageData(40_000, 1);
    const { preprocess } = await onGpu().run(wide);
    expect(preprocess).toMatchObject({ path: "cpu", reason: expect.stringContaining("40000 x 1") });
    expect(onGpu().info().preprocess).toEqual(preprocess);
    const { preprocess: next } = await onGpu().run(await picture("upright.png"));
    expect(next.path).toBe("gpu");
  });

  test("and a run that is repeated on WASM gets the GPU's tensor", async () => {
    const file = await picture("upright.png");
    const result = await onGpu().run(file, { confidence: 0 });
    expect(result).toMatchObject({ fallback: { target: "wasm" }, preprocess: { path: "gpu" } });
    expectClose(
      await numbers(Promise.resolve(result)),
      await numbers(onCpu().run(file, { confidence: 0 })),
      1e-3,
    );
  });
});

describe.runIf(hasWebgpu)("images are preprocessed on the CPU", () => {
  keepEngine("wasm");

  test("if requested", async () => {
    const model = await loadTiny({ backend: "webgpu", processing: "cpu" });
    expect(model.info().preprocess).toEqual({
      path: "cpu",
      texture: null,
      reason: 'processing "cpu" was requested',
    });
  });

  test("on WASM", async () => {
    const model = await loadTiny({ backend: "wasm" });
    const { preprocess } = await model.run(await picture("upright.png"));
    expect(preprocess).toEqual({ path: "cpu", texture: null, reason: "the model runs on WASM" });
  });

  test.each([
    ["black", "levels of 255"],
    ["none", "does not compile the shader"],
  ])("if the GPU gives another result: %s", async (paint, reason) => {
    await withWorker(`worker-misfeeding.js?paint=${paint}`, async () => {
      const model = await loadTiny({ backend: "webgpu" });
      expect(model.info().preprocess).toMatchObject({ path: "cpu", reason: expect.stringContaining(reason) });
      const file = await picture("alpha.png");
      const { preprocess, warnings } = await model.run(file);
      expect(preprocess.path).toBe("cpu");
      expect([...warnings, ...model.warnings]).toEqual([]);
      const right = await loadTiny({ backend: "wasm" });
      expectClose(await fed(model, file), await fed(right, file), 0);
    });
  });
});
