// Each task's result, drawn on a stage without a page, as in <web-model>.

import { afterEach, beforeEach, expect, test } from "vitest";
import { Stage } from "../../page/drawing/stage.js";
import { drawingOf } from "../../page/views/registry.js";
import type { Model, Result } from "../../src/index.js";

const size = { width: 40, height: 30 };
const box = { x1: 5, y1: 5, x2: 30, y2: 25 };
const found = { box, score: 0.9, classIndex: 0, label: "cat" };
const classes = ["cat", "dog"];
const mask = { x: 5, y: 5, width: 20, height: 20, columns: 4, rows: 4, data: new Uint8Array(16).fill(1) };
const corners = [
  { x: 5, y: 5 },
  { x: 30, y: 5 },
  { x: 30, y: 25 },
  { x: 5, y: 25 },
];
const keypoints = [{ name: "nose", x: 10, y: 10, confidence: 1 }];
const region = { classIndex: 0, label: "sky", score: null, pixels: 1200, share: 1, box };
const input = {
  ...{ kind: "image", name: "x", dtype: "float32", layout: "nchw", shape: [1, 3, 30, 40], color: "rgb" },
  ...{ letterbox: { mode: "stretch" }, scale: 1, mean: [0, 0, 0], std: [1, 1, 1] },
};
const scores = {
  type: "float32",
  dims: [1, 1, 30, 40],
  data: Float32Array.from({ length: 1200 }, (_, at) => at),
};

let parts: ConstructorParameters<typeof Stage>[0];

beforeEach(() => {
  const stage = document.createElement("div");
  const [ambient, slot, overlay] = [
    document.createElement("canvas"),
    document.createElement("div"),
    document.createElement("canvas"),
  ];
  overlay.style.cssText = "width: 80px; height: 60px; display: block";
  stage.append(ambient, slot, overlay);
  document.body.append(stage);
  parts = { stage, ambient, slot, overlay };
});

afterEach(() => document.body.replaceChildren());

/** Draws a result; returns its text, and the number of painted pixels of the overlay. */
async function draw(
  kind: string,
  result: object,
  task: object = {},
  earlier?: object,
): Promise<[string | null, number]> {
  const stage = new Stage(parts, () => {});
  stage.showPicture({ picture: new Image(), size, mirrored: false, ambient: null });
  const { inputs = [input], ...spec } = task as { inputs?: object[] };
  const last = { name: "look", task: { kind, classes, ...spec }, inputs };
  const model = { manifest: earlier === undefined ? last : { ...earlier, stages: [last] } };
  const words = await drawingOf({ kind })?.draw(
    stage,
    { kind, ...size, size: [40, 30], ...result } as unknown as Result,
    model as unknown as Model,
    "Me",
  );
  await new Promise((resolve) => setTimeout(resolve, 100));
  const { overlay } = parts;
  const pixels = overlay.getContext("2d")?.getImageData(0, 0, overlay.width, overlay.height).data ?? [];
  return [words ?? null, pixels.filter((value) => value > 0).length];
}

test.each([
  ["detect", { detections: [found] }, {}],
  [
    "pose",
    { poses: [{ ...found, keypoints }] },
    { keypoints: [{ name: "nose", side: "middle" }], skeleton: [] },
  ],
  ["segment", { segments: [{ ...found, mask }] }, {}],
  ["text-boxes", { detections: [{ ...found, polygon: corners.map(({ x, y }) => [x, y]) }] }, {}],
  ["obb", { objects: [{ ...found, corners, width: 25, height: 20, angle: 0 }] }, {}],
  ["grounding", { detections: [found], phrases: ["cat"] }, {}],
])("%s: boxes and a count", async (kind, result, task) => {
  const [words, pixels] = await draw(kind, result, task);
  expect(words).toMatch(/^1 (detection|cat) found$/);
  expect(pixels).toBeGreaterThan(100);
  expect(parts.slot.getAttribute("aria-label")).toBe(`Me: ${words}`);
});

test.each([
  ["crop-classes", { detections: [{ ...found, classes: [{ label: "tabby", classIndex: 1, score: 0.6 }] }] }],
  ["crop-embeddings", { detections: [{ ...found, embedding: Float32Array.of(1) }] }],
  ["keypoints", { kind: "pose", poses: [{ ...found, keypoints }] }],
])("%s: a count of the detector's objects, not of the later stages' results", async (kind, result) => {
  const task = { classes: ["tabby", "manx"], keypoints: [{ name: "nose", side: "middle" }], skeleton: [] };
  const finder = { stageName: "find", task: { kind: "detect", classes }, inputs: [input] };
  const crop = (indexes: number[]) => ({ ...task, inputs: [{ kind: "crop", classes: indexes }] });
  expect((await draw(kind, result, crop([0]), finder))[0]).toBe("1 cat found");
  expect((await draw(kind, result, crop([]), finder))[0]).toBe("1 detection found");
  const [none] = await draw(kind, { ...result, detections: [], poses: [] }, crop([0]), finder);
  expect(none).toBe("0 cats found");
});

test("depth: the requested colours, and the range", async () => {
  const colors = await createImageBitmap(new ImageData(new Uint8ClampedArray(4 * 1200).fill(255), 40, 30));
  expect(drawingOf({ kind: "depth" })?.options).toEqual({ depth: "colors" });
  const [words, pixels] = await draw("depth", { colors, unit: "metres", min: 1, max: 12 });
  expect(words).toBe("depth from 1.00 m to 12.0 m");
  expect(pixels).toBeGreaterThan(10_000);
});

test("image-segmentation: the regions and their shares", async () => {
  const map = new Uint16Array(1200).fill(1);
  const [words, pixels] = await draw("image-segmentation", { regions: [region], map });
  expect(words).toBe("sky 100.0 %");
  expect(pixels).toBeGreaterThan(10_000);
});

test("classify: the best classes, as text only", async () => {
  const best = classes.map((label, classIndex) => ({ label, classIndex, score: 0.75 - classIndex / 2 }));
  expect(await draw("classify", { classes: best })).toEqual(["cat 75.0 %, dog 25.0 %", 0]);
});

test("text-line: the text, as text only", async () => {
  expect(await draw("text-line", { text: "Total 48", score: 0.5, words: [] })).toEqual(["Total 48", 0]);
});

test("text: the lines, each in its rotated box", async () => {
  const polygon = [
    [20, 10],
    [60, 30],
    [50, 50],
    [10, 30],
  ];
  const line = { text: "Total 48", score: 0.5, words: [], polygon, box: { x1: 10, y1: 10, x2: 60, y2: 50 } };
  const [words, pixels] = await draw("text", { text: "Total 48", lines: [line] });
  expect(words).toMatch(/^1 line/);
  expect(pixels).toBeGreaterThan(100);
});

test("tensor: the output that most resembles an image", async () => {
  const vector = { type: "float32", dims: [1, 3], data: Float32Array.of(1, 2, 3) };
  const [words, pixels] = await draw("tensor", { outputs: { vector, scores } }, { joined: [] });
  expect(words).toMatch(/^scores as /);
  expect(pixels).toBeGreaterThan(1000);
});

test("a result of another task is not drawn", async () => {
  expect(await draw("detect", { kind: "pose", poses: [] })).toEqual([null, 0]);
  expect(drawingOf({ kind: "unheard-of" })).toBeNull();
});
