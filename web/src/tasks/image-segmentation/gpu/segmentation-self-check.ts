// Self-check: how much the regions of the same noise differ between GPU and CPU.

import { noise, withBuffer } from "../../../gpu/self-check-data.js";
import type { ImageSegmentationTask } from "../../../manifest/manifest.js";
import type { Geometry } from "../../../preprocess/letterbox.js";
import { decodeRegions } from "../decode-regions.js";
import type { GpuArgmax } from "./gpu-argmax.js";
import { regionsOnGpu } from "./regions.js";

const QUERIES = 6;
const CELLS = { width: 9, height: 7 };
const GEOMETRY: Geometry = { source: { width: 61, height: 47 }, left: 0, top: 3, width: 36, height: 28 };
const INPUT = { width: 36, height: 32 };

/** Returns the share of a picture's pixels that get another region on the GPU, in the worst mode. */
export async function regionDifference(
  device: GPUDevice,
  argmax: GpuArgmax,
  byClass: boolean,
): Promise<number> {
  const masks = noise(QUERIES * CELLS.width * CELLS.height, 6);
  const classes = byClass ? QUERIES : 3;
  const scores = byClass ? null : noise(QUERIES * (classes + 1), 4);
  const modes: ImageSegmentationTask["mode"][] = byClass ? ["semantic"] : ["panoptic", "semantic"];
  return withBuffer(device, masks, async (buffer) => {
    const maps = { buffer, cells: CELLS, input: INPUT, raw: true };
    const parts = modes.map(async (mode) => {
      const task = testTask(mode, classes, byClass);
      const want = decodeRegions(task, GEOMETRY, { masks, scores, grid: CELLS, input: INPUT }).map;
      const got = (await regionsOnGpu(argmax, task, GEOMETRY, { maps, count: QUERIES, scores })).map;
      return want.reduce((sum, number, at) => sum + (got[at] === number ? 0 : 1), 0) / want.length;
    });
    return Math.max(...(await Promise.all(parts)));
  });
}

function testTask(
  mode: ImageSegmentationTask["mode"],
  classes: number,
  byClass: boolean,
): ImageSegmentationTask {
  return {
    kind: "image-segmentation",
    masks: "masks",
    scores: byClass ? null : "scores",
    classes: Array.from({ length: classes }, (_, index) => `class ${index}`),
    mode,
    labelIdsToFuse: [],
    maskSize: byClass ? [] : [14, 18],
    threshold: 0,
    maskThreshold: 0.1,
    overlapMaskAreaThreshold: 0,
  };
}
