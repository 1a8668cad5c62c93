import { expect, test } from "vitest";
import { SceneCache } from "../../page/input/scene-cache.js";
import type { Model, Result, Scene } from "../../src/index.js";

const result = {} as Result;

/** A model whose look() calls end when the test says so. */
function modelOf() {
  const looks: { end(): void; fail(): void }[] = [];
  const scene = { run: async () => result, release: async () => {} } as unknown as Scene;
  const look = () =>
    new Promise<Scene>((resolve, reject) => {
      looks.push({ end: () => resolve(scene), fail: () => reject(new Error("lost")) });
    });
  return { model: { look } as unknown as Model, looks };
}

test("an image is encoded once, and the scene reports progress until then", async () => {
  const { model, looks } = modelOf();
  const scenes = new SceneCache();
  const picture = new Blob();
  const first = scenes.run(model, picture, {});
  expect(scenes.isLooking).toBe(true);
  looks[0]?.end();
  await first;
  expect(scenes.isLooking).toBe(false);
  const second = scenes.run(model, picture, {});
  expect(scenes.isLooking).toBe(false);
  await second;
  expect(looks).toHaveLength(1);
});

test("an image that changes during look() is pending until its own look() ends", async () => {
  const { model, looks } = modelOf();
  const scenes = new SceneCache();
  const first = scenes.run(model, new Blob(), {});
  const second = scenes.run(model, new Blob(), {});
  looks[0]?.end();
  await first;
  expect(scenes.isLooking).toBe(true);
  looks[1]?.end();
  await second;
  expect(scenes.isLooking).toBe(false);
});

test("a failed look() is repeated", async () => {
  const { model, looks } = modelOf();
  const scenes = new SceneCache();
  const picture = new Blob();
  const first = scenes.run(model, picture, {});
  looks[0]?.fail();
  await expect(first).rejects.toThrow("lost");
  expect(scenes.isLooking).toBe(false);
  const again = scenes.run(model, picture, {});
  looks[1]?.end();
  expect(await again).toBe(result);
});
