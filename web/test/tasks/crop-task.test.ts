import { expect, test } from "vitest";
import type { Detection } from "../../src/api/types.js";
import type { CropInput, KeypointsTask, Manifest } from "../../src/manifest/manifest.js";
import type { SceneView } from "../../src/stages/scene-view.js";
import { cropBoxes } from "../../src/tasks/crop-task.js";
import { task } from "../../src/tasks/keypoints/task.js";
import type { ManifestOf } from "../../src/tasks/task-module.js";
import { CROP_INPUT } from "../support/crops.js";

const INPUT: CropInput = { ...CROP_INPUT, shape: [4, 3, 8, 6], classes: [0] };
const { parts } = task;
const TASK: KeypointsTask = {
  kind: "keypoints",
  head: { kind: "regression", output: "points", columns: "xy", range: "pixels" },
  classes: ["person"],
  keypoints: [{ name: "nose", side: "middle" }],
  skeleton: [],
};
const MANIFEST = { task: TASK, inputs: [INPUT] } as unknown as ManifestOf<KeypointsTask>;

function person(x: number, classIndex = 0): Detection {
  const label = classIndex === 0 ? "person" : "dog";
  return { box: { x1: x, y1: 10, x2: x + 6, y2: 18 }, score: 0.5, classIndex, label };
}

function scene(detections: Detection[]): SceneView {
  const size = { width: 64, height: 32 };
  const results = new Map([["detector", { kind: "detect", ...size, detections }]]);
  return {
    picture: new ImageData(64, 32),
    geometry: { source: size, left: 0, top: 0, ...size },
    input: size,
    results,
  };
}

const dogs = scene([person(1), person(2, 1), person(3), person(20), person(30), person(40)]);

test("only boxes of the task's classes are cropped", () => {
  expect(parts.lines(MANIFEST, dogs, null)).toHaveLength(5);
  const all = { ...MANIFEST, inputs: [{ ...INPUT, classes: [] }] } as unknown as Manifest;
  expect(parts.lines(all as unknown as typeof MANIFEST, dogs, null)).toHaveLength(6);
});

test("an object keeps the results of earlier stages, which align the next crop", () => {
  const nose = { name: "nose", x: 4, y: 5, confidence: 0.5 };
  const embedding = Float32Array.of(1);
  const classes = [{ classIndex: 2, label: "nurse", score: 0.75 }];
  const polygon = [
    [3, 1],
    [5, 1],
    [5, 9],
    [3, 9],
  ];
  const [one, other] = [{ ...person(3), keypoints: [nose], embedding, classes, polygon }, person(9)];
  const found = scene([one, other]);
  expect(cropBoxes(found, INPUT).map(({ points }) => points)).toEqual([[[4, 5]], []]);
  const data = Float32Array.from([3, 4, 0, 0, 9, 9, 9, 9]);
  const outputs = { points: { type: "float32" as const, dims: [4, 2], data } };
  const pieces = parts.decode(MANIFEST, outputs, found, [0, 1], null);
  const { poses } = parts.join(MANIFEST, pieces, found, null);
  expect(poses.map((each) => [each.embedding, each.classes, each.polygon])).toEqual([
    [embedding, classes, polygon],
    [undefined, undefined, undefined],
  ]);
  expect(poses[0]?.keypoints).toEqual([{ name: "nose", x: 6, y: 14, confidence: 1 }]);
});

test("a batch is filled up with its last crop", async () => {
  const tensors = await parts.feeds(MANIFEST, dogs, [3, 4], null, null);
  const { input } = tensors;
  if (input === undefined || !("data" in input)) throw new Error("no tensor in memory");
  expect(input.dims).toEqual([4, 3, 8, 6]);
  const size = 3 * 8 * 6;
  const crop = (index: number) => input.data.slice(index * size, (index + 1) * size);
  expect(crop(2)).toEqual(crop(1));
  expect(crop(3)).toEqual(crop(1));
});

test("keypoints are mapped back to the image, and the batch's filling is dropped", () => {
  const data = Float32Array.from([3, 4, 0, 0, 9, 9, 9, 9]);
  const outputs = { points: { type: "float32" as const, dims: [4, 2], data } };
  const pieces = parts.decode(MANIFEST, outputs, dogs, [2, 3], null);
  const poses = parts.join(MANIFEST, pieces, dogs, null);
  expect(poses).toMatchObject({ kind: "pose", width: 64, height: 32 });
  expect(poses.poses.map(({ box, keypoints }) => [box.x1, keypoints])).toEqual([
    [20, [{ name: "nose", x: 23, y: 14, confidence: 1 }]],
    [30, [{ name: "nose", x: 30, y: 10, confidence: 1 }]],
  ]);
});

test("without boxes the result is a pose result without poses", () => {
  const nobody = scene([]);
  expect(parts.lines(MANIFEST, nobody, null)).toHaveLength(0);
  expect(parts.join(MANIFEST, [], nobody, null).poses).toEqual([]);
});

test.each([
  [1000, 1000, []],
  [1001, 1000, ["only the 1000 best of 1001 boxes were cropped"]],
  [50, 20, ["only the 20 best of 50 boxes were cropped"]],
])("of %i boxes the best %i are cropped, with a warning if some are left", (count, maxCrops, said) => {
  const dog = person(1, 1);
  const many = scene([dog, ...Array.from({ length: count }, (_, at) => person(at))]);
  const manifest = { ...MANIFEST, inputs: [{ ...INPUT, maxCrops }] } as unknown as typeof MANIFEST;
  expect(parts.lines(manifest, many, null)).toHaveLength(maxCrops);
  expect(parts.warnings?.(manifest, many, []).map(({ message }) => message)).toEqual(said);
});

test("a stage without boxes before it is an error", () => {
  const alone = { ...scene([]), results: new Map() };
  expect(() => parts.lines(MANIFEST, alone, null)).toThrow(/no stage finds the boxes/);
});

test.each([
  ["those with an area", {}, [1, 3, 20, 30, 40]],
  ["of at least a score", { minScore: 0.6 }, []],
  ["the best", { maxCrops: 2 }, [1, 3]],
])("crops from boxes: %s", (_, said, lefts) => {
  const flat = { ...person(50), box: { x1: 50, y1: 3, x2: 50, y2: 9 } };
  const low = { ...person(51), box: { x1: 51, y1: 9, x2: 60, y2: 9 } };
  const found = scene([flat, low, ...[1, 3, 20, 30, 40].map((x) => person(x))]);
  expect(cropBoxes(found, { ...INPUT, ...said }).map(({ box }) => box.x1)).toEqual(lefts);
});

test("the boxes are those of the last stage that has some, whatever the names of the stages are", () => {
  const nose = { name: "nose", x: 4, y: 5, confidence: 0.5 };
  const found = scene([person(3)]);
  const poses = [{ ...person(3), keypoints: [nose] }];
  const landmarks = { kind: "pose", width: 64, height: 32, poses };
  const results = new Map([...found.results, ["2", landmarks]]);
  expect(cropBoxes({ ...found, results }, INPUT).map(({ points }) => points)).toEqual([[[4, 5]]]);
});
