import { expect, test } from "vitest";
import type { DetectResult, ImageSource, PartProgress, Result } from "../../src/api/types.js";
import { runInSlices } from "../../src/runs/sliced-run.js";
import { UPRIGHT } from "../../src/slices/sliced-task.js";

const TIMINGS = { preprocess: 1, inference: 10, postprocess: 2, total: 13 };
const ROUTE = { path: "cpu", reason: "a test" } as const;

/** Returns a batch's results: in each image a box in its upper left corner, scored by its colour. */
async function answers(pictures: readonly ImageSource[]): Promise<Result[]> {
  return pictures.map((picture): DetectResult => {
    if (!(picture instanceof ImageData)) throw new Error("not cut out of pixels");
    const { width, height, data } = picture;
    const box = { x1: 0, y1: 0, x2: 2, y2: 2 };
    const score = (data[0] ?? 0) / 256;
    return {
      kind: "detect",
      width,
      height,
      size: [width, height],
      timings: TIMINGS,
      preprocess: { ...ROUTE, texture: null },
      postprocess: ROUTE,
      backend: "wasm",
      fallback: null,
      warnings: [{ code: "odd", message: "odd", fix: "none" }],
      detections: [{ box, score, classIndex: 0, label: "spot" }],
    };
  });
}

/** 70 x 10 pixels, lighter from left to right. */
function ramp(): ImageData {
  const picture = new ImageData(70, 10);
  for (let at = 0; at < 700; at++) picture.data.set([10 + (at % 70) * 3, 0, 0, 255], at * 4);
  return picture;
}

test("slices run in the largest batches, and their results are merged", async () => {
  const sent: number[] = [];
  const done: PartProgress[] = [];
  const runner = {
    batchOf: (left: number) => (left >= 4 ? 4 : 1),
    run: (pictures: readonly ImageSource[]) => {
      sent.push(pictures.length);
      return answers(pictures);
    },
  };
  const task = { field: "detections", ...UPRIGHT } as const;
  const slices = { size: 10, overlap: 0 };
  const onProgress = (progress: PartProgress): number => done.push(progress);
  const result = await runInSlices(ramp(), { task, slices, onProgress }, runner);
  expect(sent).toEqual([4, 1, 1, 1, 1]);
  expect(done.map((each) => each.done)).toEqual([4, 5, 6, 7, 8]);
  expect(done.every(({ total }) => total === 8)).toBe(true);
  const { detections, ...said } = result as DetectResult;
  expect(detections.map(({ box }) => box.x1)).toEqual([60, 50, 40, 30, 20, 10, 0]);
  expect(detections.map(({ score }) => score * 256)).toEqual([190, 160, 130, 100, 70, 40, 10]);
  expect(said).toMatchObject({ width: 70, height: 10, size: [10, 10] });
  expect(said.timings).toEqual({ preprocess: 5, inference: 50, postprocess: 10, total: 65 });
  expect(said.warnings).toHaveLength(1);
});
