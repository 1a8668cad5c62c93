// Synthetic frames that web/test/fixture/make.py computes too.

import type { Model, TensorResult, Tensors } from "../../src/index.js";
import native from "../fixture/answers/recurrent.json";

/** Native ONNX Runtime's results for 300 frames, each run reading the state of the one before. */
export const WANTED: readonly (readonly number[])[] = native;

/** The frame of a step, for the recurrent model. */
export function frame(step: number, width = 16, height = 16): ImageData {
  const { data } = new ImageData(width, height);
  for (let at = 0; at < width * height; at++) {
    const [row, column] = [Math.floor(at / width), at % width];
    for (let channel = 0; channel < 3; channel++)
      data[at * 4 + channel] = (channel * 31 + row * 13 + column * 7 + step * 17) % 256;
    data[at * 4 + 3] = 255;
  }
  return new ImageData(data, width, height);
}

/** Runs the recurrent model. */
export function answerOf(result: unknown): number[] {
  return Array.from((result as TensorResult).outputs.y?.data ?? [], Number);
}

/** Returns the largest difference from native ONNX Runtime's result at a step. */
export function errorAt(step: number, got: readonly number[]): number {
  const wanted = WANTED[step] ?? [];
  return Math.max(...wanted.map((value, at) => Math.abs(value - (got[at] ?? Number.NaN))));
}

/** Runs the frames of this many steps, and returns the results. */
export async function runFrames(model: Model, from: number, to: number): Promise<number[][]> {
  const answers: number[][] = [];
  for (let step = from; step < to; step++) answers.push(answerOf(await model.run(frame(step))));
  return answers;
}

/** The input of a step of the decaying sum, and the sum after it: y = 0.9 * s + x, in float32. */
export function* sums(): Generator<{ feeds: Tensors; y: number[] }, never> {
  let y = [0, 0, 0, 0, 0, 0];
  for (let step = 0; ; step++) {
    const x = Float32Array.from(y, (_, at) => ((step * 7 + at * 3) % 11) - 5);
    y = y.map((value, at) => Math.fround(Math.fround(Math.fround(0.9) * value) + (x[at] ?? 0)));
    yield { feeds: { x: { type: "float32", dims: [2, 3], data: x } }, y };
  }
}
