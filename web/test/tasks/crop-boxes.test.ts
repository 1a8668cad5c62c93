// Boxes that are hard to crop, for each task that runs on crops.

import { describe, expect, test } from "vitest";
import type { Box, Detection, Tensors } from "../../src/api/types.js";
import type { CropInput, Manifest } from "../../src/manifest/manifest.js";
import type { SceneView } from "../../src/stages/scene-view.js";
import { taskOf } from "../../src/tasks/registry.js";
import type { TaskFields } from "../../src/tasks/task-module.js";
import { CROP_INPUT } from "../support/crops.js";

const SIZE = { width: 64, height: 32 };
const GRAY = 100;
const PAD = 7;
const INPUT: CropInput = { ...CROP_INPUT, shape: [2, 3, 8, 6], pad: PAD };
const CROP = 3 * 8 * 6;

function output(name: string, ...values: number[]): Tensors {
  return {
    [name]: { type: "float32", dims: [2, values.length / 2], data: Float32Array.from(values) },
  };
}

const TASKS = [
  {
    task: {
      kind: "keypoints",
      head: { kind: "regression", output: "points", columns: "xy", range: "pixels" },
      classes: ["person"],
      keypoints: [{ name: "nose", side: "middle" }],
      skeleton: [],
    },
    outputs: output("points", 3, 4, 0, 0),
  },
  {
    task: { kind: "crop-classes", output: "scores", activation: "none", classes: ["cat", "dog"] },
    outputs: output("scores", 0.2, 0.8, 0.6, 0.4),
  },
  {
    task: { kind: "crop-embeddings", output: "vector", size: 2 },
    outputs: output("vector", 3, 4, 0, 0),
  },
];

function scene(boxes: readonly Box[]): SceneView {
  const detections = boxes.map((box): Detection => ({ box, score: 0.5, classIndex: 0, label: "person" }));
  const picture = new ImageData(SIZE.width, SIZE.height);
  new Uint32Array(picture.data.buffer).fill(0xff000000 | (GRAY * 0x010101));
  return {
    picture,
    geometry: { source: SIZE, left: 0, top: 0, ...SIZE },
    input: SIZE,
    results: new Map([["detector", { kind: "detect", ...SIZE, detections }]]),
  };
}

describe.each(TASKS)("$task.kind", ({ task, outputs }) => {
  const manifest = { task, inputs: [INPUT] } as unknown as Manifest;
  const { parts } = taskOf(manifest);
  if (parts === undefined) throw new Error("a task without parts");

  /** Returns the crops of the boxes, and the boxes of the result. */
  async function looked(...boxes: Box[]): Promise<[Float32Array[], TaskFields]> {
    const view = scene(boxes);
    const all = [...(parts?.lines(manifest, view, null) ?? []).keys()];
    if (all.length === 0) return [[], parts?.join(manifest, [], view, null) as TaskFields];
    const feeds = await parts?.feeds(manifest, view, all, null, null);
    const input = feeds?.input;
    if (input === undefined || !("data" in input)) throw new Error("no crops in memory");
    const data = Float32Array.from(input.data, Number);
    const crops = Array.from({ length: all.length }, (_, at) => data.subarray(at * CROP, (at + 1) * CROP));
    const pieces = parts?.decode(manifest, outputs, view, all, null) ?? [];
    return [crops, parts?.join(manifest, pieces, view, null) as TaskFields];
  }

  const found = (result: TaskFields): Detection[] =>
    Object.values(result).find((value): value is Detection[] => Array.isArray(value)) ?? [];

  test("a box partly outside the image: the rest of the crop has the padding's level", async () => {
    const box = { x1: -6, y1: 8, x2: 6, y2: 24 };
    const [[crop = new Float32Array()], result] = await looked(box);
    expect(new Set(crop)).toEqual(new Set([PAD, GRAY]));
    expect(found(result).map((each) => each.box)).toEqual([box]);
  });

  test("a box entirely outside it: a crop of padding, and a result", async () => {
    const boxes = [
      { x1: -60, y1: -50, x2: -40, y2: -30 },
      { x1: 1e6, y1: 1e6, x2: 2e6, y2: 3e6 },
    ];
    const [crops, result] = await looked(...boxes);
    for (const crop of crops) expect(new Set(crop)).toEqual(new Set([PAD]));
    expect(found(result).map((each) => each.box)).toEqual(boxes);
    expect(JSON.stringify(result)).not.toContain("null");
  });

  test("a box of size 0, inverted, or NaN: skipped", async () => {
    const flat = { x1: 5, y1: 5, x2: 5, y2: 5 };
    const boxes = [flat, { ...flat, x2: 9 }, { ...flat, x2: 3, y2: 3 }, { ...flat, x2: Number.NaN, y2: 9 }];
    const [crops, result] = await looked(...boxes);
    expect(crops).toEqual([]);
    expect(found(result)).toEqual([]);
  });

  test("no boxes: an empty list, with the image's size", async () => {
    const [, result] = await looked();
    expect(result).toMatchObject(SIZE);
    expect(found(result)).toEqual([]);
  });
});
