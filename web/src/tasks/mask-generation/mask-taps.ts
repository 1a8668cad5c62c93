// Resamples a grid of mask logits [rows, columns] to the picture's pixels: the taps of each column and row.
// MaskGenerationTask in the manifest describes the formulas.

import type { MaskGenerationTask } from "../../manifest/manifest.js";
import type { Geometry, Size } from "../../preprocess/letterbox.js";
import { type Taps, taps } from "../../preprocess/resample.js";
import { mapTaps } from "../depth/depth-map.js";
import type { MapTap } from "../depth/map-reader.js";

/** For each column and row of the picture: the grid cells that it is interpolated from, and their weights. */
export interface MaskTaps {
  columns: Taps;
  rows: Taps;
}

/** Returns the taps of the picture's columns and rows. Weights are NaN outside of the model's input. */
export function maskTaps(
  { frame: [rows = 1, columns = 1], throughInput }: MaskGenerationTask,
  geometry: Geometry,
  grid: Size,
): MaskTaps {
  if (!throughInput) {
    const direct = mapTaps(geometry, { width: columns, height: rows }, grid);
    return { columns: toTaps(direct.columns), rows: toTaps(direct.rows) };
  }
  const { source, left, top, width, height } = geometry;
  return {
    columns: throughFrame({ start: left, drawn: width, source: source.width }, columns, grid.width),
    rows: throughFrame({ start: top, drawn: height, source: source.height }, rows, grid.height),
  };
}

/**
 * Combines two bilinear resizes: grid cells -> `size` pixels of the input -> the picture, which covers
 * `drawn` of the input.
 */
function throughFrame(
  { start, drawn, source }: { start: number; drawn: number; source: number },
  size: number,
  cells: number,
): Taps {
  const sourceTaps = taps("bilinear", drawn, source, 0, source);
  const gridTaps = taps("bilinear", cells, size, start, start + drawn);
  const count = sourceTaps.count * gridTaps.count;
  const combined: Taps = {
    count,
    at: new Int32Array(source * count),
    weights: new Float64Array(source * count),
  };
  let to = 0;
  for (const [index, pixel] of sourceTaps.at.entries())
    for (let tap = pixel * gridTaps.count; tap < (pixel + 1) * gridTaps.count; tap++, to++) {
      combined.at[to] = gridTaps.at[tap] ?? 0;
      combined.weights[to] = (sourceTaps.weights[index] ?? 0) * (gridTaps.weights[tap] ?? 0);
    }
  return combined;
}

function toTaps(found: readonly MapTap[]): Taps {
  return {
    count: 2,
    at: Int32Array.from(found.flatMap(({ first, second }) => [first, second])),
    weights: Float64Array.from(found.flatMap(({ fraction }) => [1 - fraction, fraction])),
  };
}
