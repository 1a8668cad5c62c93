// Self-check: whether GPU and CPU convert the same noise to the same pixels.

import { maxLevelDifference, noise, withBuffer } from "../../../gpu/self-check-data.js";
import type { ImageTask } from "../../../manifest/manifest.js";
import type { Geometry } from "../../../preprocess/letterbox.js";
import { paintPicture } from "../picture-pixels.js";
import type { GpuPicture } from "./gpu-picture.js";

const GRID = { width: 18, height: 14 };
const INPUT = { width: 9, height: 7 };
const GEOMETRY: Geometry = { source: { width: 31, height: 23 }, left: 0, top: 1, width: 9, height: 5 };

const CASES = [
  ["nchw", false],
  ["nhwc", false],
  ["nchw", true],
] as const;

/** The maximum difference of a channel, in levels of 255. */
const LEVELS = 1;

/** Returns in words what differs, null if nothing does. */
export async function pictureDifference(device: GPUDevice, painter: GpuPicture): Promise<string | null> {
  const values = noise(GRID.width * GRID.height * 3, 1.2);
  const { width, height } = GEOMETRY.source;
  const source = new ImageData(width, height);
  for (const [at, value] of noise(width * height * 4, 1).entries()) source.data[at] = 255 * Math.abs(value);
  for (const [layout, luma] of CASES) {
    const order = layout === "nchw" ? "bgr" : "rgb";
    const task: ImageTask = {
      kind: "image",
      output: "",
      layout,
      order,
      scale: 2,
      low: -1,
      high: 1,
      luma,
      tiles: null,
    };
    const want = paintPicture(GEOMETRY, task, { values, grid: GRID, input: INPUT }, source);
    const planes = { grid: GRID, input: INPUT };
    const { picture, hasNan } = await withBuffer(device, values, (buffer) =>
      painter.paint(task, GEOMETRY, { values: buffer, ...planes }, source),
    );
    const off = maxLevelDifference(want.data, picture.data);
    if (!(off <= LEVELS)) return `a pixel differs by ${off} levels of 255`;
    if (hasNan) return "it detects a NaN where there is none";
  }
  return null;
}
