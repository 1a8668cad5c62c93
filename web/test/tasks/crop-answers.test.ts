import { expect, test } from "vitest";
import type { Tensors } from "../../src/api/types.js";
import type { CropInput } from "../../src/manifest/manifest.js";
import { placeCrop } from "../../src/preprocess/crop/place-crop.js";
import { planeSize } from "../../src/preprocess/letterbox.js";
import { taskOf } from "../../src/tasks/registry.js";
import type { TaskSpec } from "../../src/tasks/task-module.js";
import { expectClose } from "../support/compare-tensors.js";
import { casesOf } from "../support/conformance.js";
import { cropBox } from "../support/crops.js";

interface Found {
  box: { x1: number; y1: number; x2: number; y2: number };
  classes?: { classIndex: number; label: string; score: number }[];
  embedding?: ArrayLike<number>;
}

interface Case {
  task: TaskSpec;
  input: CropInput;
  boxes: [number, number, number, number][];
  outputs: Record<string, { dims: number[]; data: number[] }>;
  want: { detections: Found[] };
  tolerance: number;
}

function decode({ task, input, boxes, outputs }: Case): Found[] {
  const crops = boxes.map((box) => placeCrop(cropBox({ box, points: [] }), input));
  const geometry = { source: { width: 0, height: 0 }, left: 0, top: 0, ...planeSize(input), crops };
  const made = Object.entries(outputs).map(([name, { dims, data }]) => [
    name,
    { type: "float32", dims, data: Float32Array.from(data) },
  ]);
  const manifest = { task } as unknown as Parameters<ReturnType<typeof taskOf>["decode"]>[0];
  const tensors = Object.fromEntries(made) as Tensors;
  const result = taskOf({ task }).decode(manifest, tensors, geometry, null, new ImageData(1, 1));
  return (result as unknown as { detections: Found[] }).detections;
}

/** Float32 outputs have the numbers of a case to 7 digits. */
const FLOAT32 = 1e-6;

test.each([...casesOf<Case>("crop-classes"), ...casesOf<Case>("crop-embeddings")])("%s", (_, given) => {
  const found = decode(given);
  const { detections } = given.want;
  expect(found.map(({ box }) => box)).toEqual(detections.map(({ box }) => box));
  const named = (each: Found) => each.classes?.map(({ classIndex, label }) => [classIndex, label]);
  expect(found.map(named)).toEqual(detections.map(named));
  const numbers = ({ classes, embedding }: Found) =>
    classes?.map(({ score }) => score) ?? [...Array.from(embedding ?? [])];
  const tolerance = Math.max(given.tolerance, FLOAT32);
  expectClose(found.flatMap(numbers), detections.flatMap(numbers), tolerance);
});

test("outputs of another shape are an error", () => {
  const [, given] = casesOf<Case>("crop-classes")[0] ?? [];
  if (given === undefined) throw new Error("no case");
  expect(() => decode({ ...given, boxes: given.boxes.slice(1) })).toThrow(/wanted float32 \[1, 12\]/);
});
