import { expect, test } from "vitest";
import { nearestVectors } from "../../page/results/nearest-vectors.js";

test("each vector gets the most similar other one, the first of equal ones", () => {
  const [east, north, middle] = [Float32Array.of(1, 0), Float32Array.of(0, 1), Float32Array.of(0.6, 0.8)];
  expect(nearestVectors([east, north, middle, east])).toEqual([
    { at: 3, cosine: 1 },
    { at: 2, cosine: expect.closeTo(0.8, 6) },
    { at: 1, cosine: expect.closeTo(0.8, 6) },
    { at: 0, cosine: 1 },
  ]);
});

test("opposite vectors are each other's nearest if there is no third", () => {
  const [one, other] = [Float32Array.of(1, 0), Float32Array.of(-1, 0)];
  expect(nearestVectors([one, other]).map((each) => each?.cosine)).toEqual([-1, -1]);
});

test("a single vector has no nearest one", () =>
  expect(nearestVectors([Float32Array.of(1)])).toEqual([undefined]));
