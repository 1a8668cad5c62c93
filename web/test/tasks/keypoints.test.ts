import { expect, test } from "vitest";
import type { Pose, PoseResult, Tensors } from "../../src/api/types.js";
import type { CropInput, KeypointsTask } from "../../src/manifest/manifest.js";
import { placeCrop } from "../../src/preprocess/crop/place-crop.js";
import { type Geometry, planeSize } from "../../src/preprocess/letterbox.js";
import { task as keypoints } from "../../src/tasks/keypoints/task.js";
import type { FieldsOf, ManifestOf } from "../../src/tasks/task-module.js";
import { expectClose } from "../support/compare-tensors.js";
import { casesOf } from "../support/conformance.js";
import { cropBox } from "../support/crops.js";

interface Case {
  task: KeypointsTask;
  input: CropInput;
  boxes: [number, number, number, number][];
  outputs: Record<string, { dims: number[]; data: number[] }>;
  want: {
    poses: {
      box: { x1: number; y1: number; x2: number; y2: number };
      keypoints: [number, number, number][];
    }[];
  };
  tolerance: number;
}

function tensors(outputs: Case["outputs"]): Tensors {
  const made = Object.entries(outputs).map(([name, { dims, data }]) => [
    name,
    { type: "float32", dims, data: Float32Array.from(data) },
  ]);
  return Object.fromEntries(made);
}

function decodePoses(task: KeypointsTask, outputs: Tensors, geometry: Geometry): Pose[] {
  const picture = new ImageData(1, 1);
  const found = keypoints.decode({ task } as ManifestOf<KeypointsTask>, outputs, geometry, null, picture);
  return (found as FieldsOf<PoseResult>).poses;
}

test.each(casesOf<Case>("keypoints"))("%s", (_, { task, input, boxes, outputs, want, tolerance }) => {
  const crops = boxes.map((box) => placeCrop(cropBox({ box, points: [] }), input));
  const geometry = { source: { width: 0, height: 0 }, left: 0, top: 0, ...planeSize(input), crops };
  const poses = decodePoses(task, tensors(outputs), geometry);
  expect(poses.map(({ box, label }) => ({ box, label }))).toEqual(
    want.poses.map(({ box }) => ({ box, label: "person" })),
  );
  const numbers = poses.flatMap(({ keypoints }) =>
    keypoints.flatMap(({ x, y, confidence }) => [x, y, confidence]),
  );
  expectClose(
    numbers,
    want.poses.flatMap(({ keypoints }) => keypoints.flat()),
    tolerance,
  );
});

test("NaN scores give no keypoint position, with a warning", () => {
  const [, simcc] = casesOf<Case>("keypoints").find(([name]) => name === "simcc-rtmlib") ?? [];
  if (simcc === undefined) throw new Error("no case");
  const { task, input, boxes, outputs } = simcc;
  const broken = tensors(outputs);
  for (const { data } of Object.values(broken)) if (data instanceof Float32Array) data.fill(Number.NaN);
  const crops = boxes.map((box) => placeCrop(cropBox({ box, points: [] }), input));
  const geometry = { source: { width: 0, height: 0 }, left: 0, top: 0, ...planeSize(input), crops };
  for (const { keypoints } of decodePoses(task, broken, geometry))
    for (const { confidence } of keypoints) expect(confidence).toBeNaN();
});

test("outputs of another shape are an error", () => {
  const [, simcc] = casesOf<Case>("keypoints").find(([name]) => name === "simcc-rtmlib") ?? [];
  if (simcc === undefined) throw new Error("no case");
  const { task, input } = simcc;
  const geometry = { source: { width: 0, height: 0 }, left: 0, top: 0, ...planeSize(input), crops: [] };
  expect(() => decodePoses(task, tensors(simcc.outputs), geometry)).toThrow(/wanted float32 \[0, 3, 48\]/);
});
