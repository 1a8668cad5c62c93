// Decodes keypoints of crops, in pixels of the model's input, from SimCC, heatmap and regression heads: same
// as webbuild/tasks/decoding/keypoint_heads.py. The heads in the manifest describe the formulas.

import { WebbuildError } from "../../api/errors.js";
import type { TensorData, Tensors } from "../../api/types.js";
import type { HeatmapHead, KeypointsTask, RegressionHead, SimccHead } from "../../manifest/manifest.js";
import type { Size } from "../../preprocess/letterbox.js";
import { readFloats } from "../read-output.js";
import { refineCell } from "./refine-cell.js";

export interface InputKeypoint {
  x: number;
  y: number;
  confidence: number;
}

export function headOutputs({ head }: KeypointsTask): string[] {
  return head.kind === "simcc" ? [head.x, head.y] : [head.output];
}

/** Returns the keypoints of each of `crops` crops of the size `input`. */
export function decodeKeypoints(
  task: KeypointsTask,
  outputs: Tensors,
  crops: number,
  input: Size,
): InputKeypoint[][] {
  const { head, keypoints } = task;
  switch (head.kind) {
    case "simcc":
      return decodeSimcc(head, outputs, [crops, keypoints.length], input);
    case "heatmap":
      return decodeHeatmaps(head, outputs, [crops, keypoints.length], input);
    case "regression":
      return decodeRegression(head, outputs, [crops, keypoints.length], input);
    default:
      return head satisfies never;
  }
}

type Counts = readonly [crops: number, keypoints: number];

function decodeSimcc(head: SimccHead, outputs: Tensors, counts: Counts, input: Size): InputKeypoint[][] {
  const columns = Math.round(input.width * head.splitRatio);
  const rows = Math.round(input.height * head.splitRatio);
  const along = readFloats(outputs, head.x, [...counts, columns]);
  const down = readFloats(outputs, head.y, [...counts, rows]);
  return forEach(counts, (index) => {
    const x = argmax(along.subarray(index * columns, (index + 1) * columns));
    const y = argmax(down.subarray(index * rows, (index + 1) * rows));
    const confidence = (x.value + y.value) / 2;
    const [column, row] = confidence > 0 ? [x.at, y.at] : [-1, -1];
    return { x: column / head.splitRatio, y: row / head.splitRatio, confidence };
  });
}

function decodeHeatmaps(head: HeatmapHead, outputs: Tensors, counts: Counts, input: Size): InputKeypoint[][] {
  const [, , rows = 0, columns = 0] = outputs[head.output]?.dims ?? [];
  const maps = readFloats(outputs, head.output, [...counts, rows, columns]);
  const inset = head.unbiased ? 1 : 0;
  const across = (input.width - inset) / (columns - inset);
  const down = (input.height - inset) / (rows - inset);
  return forEach(counts, (index) => {
    const values = maps.subarray(index * rows * columns, (index + 1) * rows * columns);
    const { at, value } = argmax(values);
    const cell = [at % columns, Math.floor(at / columns)] as const;
    const [x, y] = value > 0 ? refineCell(head, { values, rows, columns }, cell) : [-1, -1];
    return { x: x * across, y: y * down, confidence: value };
  });
}

function decodeRegression(
  head: RegressionHead,
  outputs: Tensors,
  counts: Counts,
  { width, height }: Size,
): InputKeypoint[][] {
  const numbers = numbersOf(outputs[head.output], head.output, counts[0] * counts[1] * head.columns.length);
  const toPixels = (value: number, size: number): number => {
    if (head.range === "pixels") return value;
    return head.range === "unit" ? value * size : ((value + 1) * size) / 2;
  };
  return forEach(counts, (index) => {
    const [first = Number.NaN, second = Number.NaN, third = Number.NaN] = numbers.subarray(
      index * head.columns.length,
    );
    const [x, y] = head.columns === "yxc" ? [second, first] : [first, second];
    const confidence = head.columns.endsWith("c") ? third : 1;
    return { x: toPixels(x, width), y: toPixels(y, height), confidence };
  });
}

/** Returns the output's elements. Its shape may have extra dimensions of size 1. */
function numbersOf(tensor: TensorData | undefined, name: string, count: number): Float32Array {
  if (tensor?.type === "float32" && tensor.data.length === count) return tensor.data;
  const got = tensor === undefined ? "nothing" : `${tensor.type} [${tensor.dims.join(", ")}]`;
  const what = `${name}: wanted ${count} float32 numbers, the graph gave ${got}`;
  throw new WebbuildError("run-failed", what, "pack the model again");
}

function forEach<T>([crops, keypoints]: Counts, decode: (index: number) => T): T[][] {
  return Array.from({ length: crops }, (_, crop) =>
    Array.from({ length: keypoints }, (_, keypoint) => decode(crop * keypoints + keypoint)),
  );
}

/** Returns the index and value of the first largest element. NaN counts as the largest. */
function argmax(values: Float32Array): { at: number; value: number } {
  let found = 0;
  for (const [at, value] of values.entries()) {
    if (Number.isNaN(value)) return { at, value };
    if (value > (values[found] ?? Number.NaN)) found = at;
  }
  return { at: found, value: values[found] ?? Number.NaN };
}
