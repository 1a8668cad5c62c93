// The model of two stages: an image encoder, and a decoder that takes points.

import { expect, onTestFinished, vi } from "vitest";
import type { Scene, Tensors } from "../../src/index.js";
import native from "../fixture/answers/stages.json";
import three from "../fixture/answers/three-stages.json";
import { expectClose } from "./compare-tensors.js";

/** The points of native ONNX Runtime's results. */
export const POINTS = [
  [1, 0],
  [0, 1],
  [0.5, -2],
] as const;

/** The tensor of a point. */
export function pointFeeds(point: number): Tensors {
  return { point: { type: "float32", dims: [1, 2], data: Float32Array.from(POINTS[point] ?? []) } };
}

/** Runs a scene of the frame of `step` for points, and expects native ONNX Runtime's results. */
export async function expectAnswers(
  scene: Scene,
  step: number,
  points = [0, 1, 2],
  wanted = native,
): Promise<void> {
  for (const point of points) expectAnswer(await scene.runTensors(pointFeeds(point)), step, point, wanted);
}

/** Expects the results of three stages. */
export function expectThree(scene: Scene, step: number, points = [0, 1, 2]): Promise<void> {
  return expectAnswers(scene, step, points, three);
}

export function expectAnswer({ y }: Tensors, step: number, point: number, wanted = native): void {
  expectClose(Array.from(y?.data ?? [], Number), wanted[step]?.[point] ?? [], 1e-4);
  expect(y?.dims).toEqual([1, 1, 14, 14]);
}

/** Returns a function that counts the calls of a first stage in workers, from here to the end of the test. */
export function countLooks(): () => number {
  const spies = [Worker, MessagePort].map(({ prototype }) =>
    vi.spyOn(prototype as MessagePort, "postMessage"),
  );
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
  const isLook = ([message]: unknown[]): boolean => Object(message).path?.join(".").endsWith("scenes.look");
  return () => spies.flatMap(({ mock }) => mock.calls).filter(isLook).length;
}
