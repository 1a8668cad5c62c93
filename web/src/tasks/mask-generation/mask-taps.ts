// Which cells of a grid of logits each pixel of the picture is made of: MaskGenerationTask says it in words.

import type { MaskGenerationTask } from "../../manifest/manifest.js";
import type { Geometry, Size } from "../../preprocess/letterbox.js";
import { type Taps, taps } from "../../preprocess/resample.js";
import { mapTaps } from "../depth/depth-map.js";
import type { MapTap } from "../depth/map-reader.js";

/** The cells that each of the picture's columns and rows is made of, and their weights. */
export interface MaskTaps {
  columns: Taps;
  rows: Taps;
}

/** The taps of the picture's columns and rows. Their weights are NaN where the model saw nothing. */
export function maskTaps(
  { frame: [rows = 1, columns = 1], throughInput }: MaskGenerationTask,
  geometry: Geometry,
  grid: Size,
): MaskTaps {
  if (!throughInput) {
    const direct = mapTaps(geometry, { width: columns, height: rows }, grid);
    return { columns: weighted(direct.columns), rows: weighted(direct.rows) };
  }
  const { source, left, top, width, height } = geometry;
  return {
    columns: throughFrame({ start: left, drawn: width, source: source.width }, columns, grid.width),
    rows: throughFrame({ start: top, drawn: height, source: source.height }, rows, grid.height),
  };
}

/** Of two resizings: cells to the `size` pixels of the frame, those that are drawn to the picture. */
function throughFrame(
  { start, drawn, source }: { start: number; drawn: number; source: number },
  size: number,
  cells: number,
): Taps {
  const pixels = taps("bilinear", drawn, source, 0, source);
  const placed = taps("bilinear", cells, size, start, start + drawn);
  const count = pixels.count * placed.count;
  const made: Taps = { count, at: new Int32Array(source * count), weights: new Float64Array(source * count) };
  let to = 0;
  for (const [index, pixel] of pixels.at.entries())
    for (let tap = pixel * placed.count; tap < (pixel + 1) * placed.count; tap++, to++) {
      made.at[to] = placed.at[tap] ?? 0;
      made.weights[to] = (pixels.weights[index] ?? 0) * (placed.weights[tap] ?? 0);
    }
  return made;
}

function weighted(found: readonly MapTap[]): Taps {
  return {
    count: 2,
    at: Int32Array.from(found.flatMap(({ first, second }) => [first, second])),
    weights: Float64Array.from(found.flatMap(({ fraction }) => [1 - fraction, fraction])),
  };
}
