// Decodes alpha from an output: over the model's input as 0 to 1, over the source picture as 0 to 255.

import type { MatteTask } from "../../manifest/manifest.js";
import type { Geometry, Size } from "../../preprocess/letterbox.js";
import { sigmoid } from "../activations.js";
import { type DepthMap, extent, readRows } from "../depth/depth-map.js";

/** The layout of an output: the offset of a channel's values, and the number of channels. */
export interface AlphaLayout {
  grid: Size;
  channels: number;
  /** Strides in elements: from one cell to the next, and from one channel to the next. */
  cellStep: number;
  channelStep: number;
}

/** Returns the layout of [1, h, w], [1, channels, h, w] or [1, h, w, channels]. */
export function alphaLayout({ layout }: Pick<MatteTask, "layout">, dims: readonly number[]): AlphaLayout {
  const [, second = 0, third = 0, fourth = 0] = dims;
  if (dims.length === 3)
    return { grid: { width: third, height: second }, channels: 1, cellStep: 1, channelStep: 0 };
  if (layout === "nhwc")
    return { grid: { width: third, height: second }, channels: fourth, cellStep: fourth, channelStep: 1 };
  const grid = { width: fourth, height: third };
  return { grid, channels: second, cellStep: 1, channelStep: third * fourth };
}

/** Returns alpha over the input, see MatteTask: NaN where the output is NaN. */
export function alphaCells(task: MatteTask, values: Float32Array, layout: AlphaLayout): Float32Array {
  const { grid, cellStep, channelStep } = layout;
  const cells = new Float32Array(grid.width * grid.height);
  const own = task.channel * channelStep;
  for (let cell = 0; cell < cells.length; cell++)
    cells[cell] = activated(task, values, cell * cellStep, own, layout);
  const { low, high } = alphaEnds(task, cells);
  for (const [cell, value] of cells.entries())
    cells[cell] = Math.min(Math.max((value - low) / (high - low), 0), 1);
  return cells;
}

/** Returns the values that mean transparent and opaque. */
function alphaEnds(
  task: Pick<MatteTask, "low" | "high" | "minMax">,
  cells: Float32Array,
): Pick<MatteTask, "low" | "high"> {
  if (!task.minMax) return task;
  const { min, max } = extent(cells);
  return min < max ? { low: min, high: max } : task;
}

/** Returns the levels of alpha at the pixels of the source, 0 outside of the model's input. */
export function alphaLevels(geometry: Geometry, map: DepthMap): Uint8Array<ArrayBuffer> {
  const { width, height } = geometry.source;
  const levels = new Uint8Array(width * height);
  let at = 0;
  for (const row of readRows(geometry, map))
    for (const share of row) levels[at++] = Number.isNaN(share) ? 0 : Math.floor(255 * share + 0.5);
  return levels;
}

function activated(
  { activation }: MatteTask,
  values: Float32Array,
  cell: number,
  own: number,
  { channels, channelStep }: AlphaLayout,
): number {
  const value = values[cell + own] ?? Number.NaN;
  if (activation === "none") return value;
  if (activation === "sigmoid") return sigmoid(value);
  let sum = 0;
  for (let channel = 0; channel < channels; channel++)
    sum += Math.exp((values[cell + channel * channelStep] ?? Number.NaN) - value);
  return 1 / sum;
}
