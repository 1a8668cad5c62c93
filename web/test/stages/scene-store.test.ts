import { expect, test } from "vitest";
import { type Scene, SceneStore } from "../../src/stages/scene-store.js";

const ref = { modelId: 0, scene: 0 };

async function bitmap(): Promise<ImageBitmap> {
  return createImageBitmap(new ImageData(4, 3));
}

async function scene(): Promise<Scene> {
  const size = { width: 4, height: 3 };
  const placed = { x: 0, y: 0, width: 4, height: 3 };
  const view = {
    picture: await bitmap(),
    geometry: { source: size, ...placed },
    input: size,
    results: new Map([["first", { kind: "image", picture: await bitmap() }]]),
  } as unknown as Scene["view"];
  return { view, tensors: {}, size: [4, 3], route: { path: "cpu" } } as unknown as Scene;
}

const widths = ({ view }: Scene): unknown[] => [
  (view.picture as ImageBitmap).width,
  ...[...view.results.values()].map((result) => Object(result).picture.width),
];

test("a released scene closes its image and its results' images", async () => {
  const scenes = new SceneStore();
  const kept = await scene();
  scenes.keep(ref, kept);
  scenes.add(ref, "second", {}, { kind: "image", picture: await bitmap() } as never);
  expect(widths(kept)).toEqual([4, 4, 4]);
  scenes.release(ref);
  expect(widths(kept)).toEqual([0, 0, 0]);
});

test("a result that replaces another closes the old one's image", async () => {
  const scenes = new SceneStore();
  const kept = await scene();
  const first = kept.view.results.get("first");
  scenes.keep(ref, kept);
  scenes.add(ref, "first", {}, { kind: "image", picture: await bitmap() } as never);
  expect(Object(first).picture.width).toBe(0);
  expect(widths(kept)).toEqual([4, 4]);
});
