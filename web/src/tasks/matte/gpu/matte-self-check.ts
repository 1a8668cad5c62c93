// Self-check: whether GPU and CPU cut a noisy picture out with the same alpha and colours.

import { maxLevelDifference, noise, withBuffer } from "../../../gpu/self-check-data.js";
import type { MatteTask } from "../../../manifest/manifest.js";
import type { Geometry } from "../../../preprocess/letterbox.js";
import { alphaCells, alphaLayout, alphaLevels } from "../alpha.js";
import { cutOut } from "../cutout.js";
import type { GpuCutter } from "./gpu-matte.js";

const DIMS = [1, 2, 7, 9];
const INPUT = { width: 36, height: 32 };
const GEOMETRY: Geometry = { source: { width: 61, height: 47 }, left: 0, top: 3, width: 36, height: 28 };
const TASK: MatteTask = {
  kind: "matte",
  output: "",
  layout: "nchw",
  channel: 1,
  activation: "sigmoid",
  low: 0,
  high: 1,
  minMax: true,
  foreground: null,
  tiles: null,
};

/** The maximum difference, in levels of 255. */
const LEVELS = 1;

/** Returns in words what differs, null if nothing does. */
export async function cutoutDifference(device: GPUDevice, cutter: GpuCutter): Promise<string | null> {
  const layout = alphaLayout(TASK, DIMS);
  const values = noise(2 * 7 * 9, 3);
  values[7 * 9 + 8] = Number.NaN;
  const picture = noisyPicture();
  const grid = { values: alphaCells(TASK, values, layout), grid: layout.grid, input: INPUT };
  const alpha = alphaLevels(GEOMETRY, grid);
  const want = cutOut(picture, alpha, GEOMETRY, null);
  const got = await withBuffer(device, values, (buffer) =>
    cutter.cut(TASK, GEOMETRY, { values: buffer, layout, input: INPUT }, picture),
  );
  const off = maxLevelDifference(alpha, got.alpha);
  if (!(off <= LEVELS)) return `alpha differs by ${off} levels of 255`;
  const apart = maxLevelDifference(want.data, got.cutout.data);
  if (!(apart <= LEVELS)) return `a pixel differs by ${apart} levels of 255`;
  return got.hasNan ? null : "it does not detect NaN";
}

/** Returns a picture that also has alpha: it is multiplied by the cutout's. */
function noisyPicture(): ImageData {
  const { width, height } = GEOMETRY.source;
  const levels = noise(width * height * 4, 1);
  return new ImageData(
    Uint8ClampedArray.from(levels, (level) => 128 + 127 * level),
    width,
    height,
  );
}
