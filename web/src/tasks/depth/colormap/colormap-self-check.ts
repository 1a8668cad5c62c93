// Self-check: whether GPU and CPU colour the same map of noise in the same way.

import { maxLevelDifference, noise, withBuffer } from "../../../gpu/self-check-data.js";
import type { Geometry } from "../../../preprocess/letterbox.js";
import { type DepthMap, extentOf, readRows } from "../depth-map.js";
import { scaleOf } from "../depth-result.js";
import { applyColormap, confidenceAlpha } from "./cpu-colormap.js";
import type { GpuColormap } from "./gpu-colormap.js";

const GRID = { width: 9, height: 7 };
const INPUT = { width: 36, height: 32 };
const GEOMETRY: Geometry = { source: { width: 61, height: 47 }, left: 0, top: 3, width: 36, height: 28 };
const TASK = { near: null, far: null, quantity: "inverse-depth" } as const;

/**
 * The maximum difference of a channel, in levels of 255. The ends of the scale may differ by PARTS of their
 * magnitude.
 */
const LEVELS = 1;
const PARTS = 1e-5;

/** Returns in words what differs, null if nothing does. */
export async function colorDifference(device: GPUDevice, colormap: GpuColormap): Promise<string | null> {
  const cells = GRID.width * GRID.height;
  const values = noise(cells, 5);
  values[8] = Number.NaN;
  const sure = noise(cells, 2);
  return withBuffer(device, values, (depth) =>
    withBuffer(device, sure, async (confidence) => {
      const got = await colormap.apply(TASK, GEOMETRY, { depth, confidence, grid: GRID, input: INPUT });
      const map = (of: Float32Array): DepthMap => ({ values: of, grid: GRID, input: INPUT });
      const range = extentOf(readRows(GEOMETRY, map(values)));
      const scale = scaleOf(TASK, range);
      const want = applyColormap(GEOMETRY, map(values), scale, confidenceAlpha(GEOMETRY, map(sure)));
      const off = maxLevelDifference(want.data, got.picture.data);
      if (!(off <= LEVELS)) return `a pixel differs by ${off} levels of 255`;
      const ends = Math.max(Math.abs(got.min - range.min), Math.abs(got.max - range.max));
      if (!(ends <= PARTS * Math.abs(range.max))) return `the least or largest value differs by ${ends}`;
      return got.hasNan.depth && !got.hasNan.confidence ? null : "it does not detect NaN";
    }),
  );
}
