// Comparing detections: names and classes exactly, numbers to within a tolerance.

import { expect } from "vitest";
import type { Detection, Pose } from "../../src/api/types.js";
import { expectClose } from "./compare-tensors.js";

type Found = Detection | Pose;

export function expectFound(got: readonly Found[], want: readonly Found[], tolerance: number): void {
  expect(got.map(words)).toEqual(want.map(words));
  if (want.length > 0) expectClose(got.flatMap(numbers), want.flatMap(numbers), tolerance);
}

function words(found: Found): unknown {
  const { label, classIndex } = found;
  return "keypoints" in found
    ? { label, classIndex, keypoints: found.keypoints.map(({ name }) => name) }
    : { label, classIndex };
}

function numbers(found: Found): number[] {
  const { x1, y1, x2, y2 } = found.box;
  const points = "keypoints" in found ? found.keypoints : [];
  return [x1, y1, x2, y2, found.score, ...points.flatMap(({ x, y, confidence }) => [x, y, confidence])];
}
