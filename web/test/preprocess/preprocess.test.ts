import { describe, expect, test } from "vitest";
import type { Model, Result } from "../../src/index.js";
import { hasWebgpu, loadTiny, picture, sharedTiny, withWorker } from "../support/bundle.js";
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

describe.runIf(hasWebgpu)("pictures go by the GPU", () => {
  const onGpu = sharedTiny({ backend: "webgpu" });
  const onCpu = sharedTiny({ backend: "webgpu", pixels: "cpu" });

  test("and the model, its info and every result say so", async () => {
    const why = "the GPU makes the same of a picture as the CPU";
    const usual = { path: "gpu", texture: "copied" };
    expect(onGpu().info().feed).toMatchObject({ ...usual, why: expect.stringContaining(`${why}; VideoF`) });
    expect((await onGpu().run(await picture("upright.png"))).feed).toEqual({ ...usual, why });
  });

  test.each(["upright.png", "turned.jpg", "alpha.png", "gamma.png"])(
    "and come to the same: %s",
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

  test("but for one that is too large, which goes by the CPU, and says why", async () => {
    const wide = new ImageData(40_000, 1);
    const { feed } = await onGpu().run(wide);
    expect(feed).toMatchObject({ path: "cpu", why: expect.stringContaining("40000 x 1") });
    expect(onGpu().info().feed).toEqual(feed);
    const { feed: next } = await onGpu().run(await picture("upright.png"));
    expect(next.path).toBe("gpu");
  });

  test("and a run that is repeated on WASM gets what the GPU made", async () => {
    const file = await picture("upright.png");
    const result = await onGpu().run(file, { confidence: 0 });
    expect(result).toMatchObject({ repeated: { target: "wasm" }, feed: { path: "gpu" } });
    expectClose(
      await numbers(Promise.resolve(result)),
      await numbers(onCpu().run(file, { confidence: 0 })),
      1e-3,
    );
  });
});

describe.runIf(hasWebgpu)("pictures go by the CPU", () => {
  test("where that was asked for", async () => {
    const model = await loadTiny({ backend: "webgpu", pixels: "cpu" });
    expect(model.info().feed).toEqual({ path: "cpu", texture: null, why: 'pixels "cpu" was asked for' });
  });

  test("on WASM", async () => {
    const model = await loadTiny({ backend: "wasm" });
    const { feed } = await model.run(await picture("upright.png"));
    expect(feed).toEqual({ path: "cpu", texture: null, why: "the model runs on WASM" });
  });

  test.each([
    ["black", "levels of 255"],
    ["none", "does not have the shader"],
  ])("where the GPU makes something else of them: %s", async (paint, why) => {
    await withWorker(`worker-misfeeding.js?paint=${paint}`, async () => {
      const model = await loadTiny({ backend: "webgpu" });
      expect(model.info().feed).toMatchObject({ path: "cpu", why: expect.stringContaining(why) });
      const file = await picture("alpha.png");
      const { feed, warnings } = await model.run(file);
      expect(feed.path).toBe("cpu");
      expect([...warnings, ...model.warnings]).toEqual([]);
      const right = await loadTiny({ backend: "wasm" });
      expectClose(await fed(model, file), await fed(right, file), 0);
    });
  });
});
