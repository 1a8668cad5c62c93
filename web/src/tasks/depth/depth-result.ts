// Makes a result from depth maps, with the requested parts.

import type { DepthGrid, DepthResult } from "../../api/types.js";
import type { DepthTask } from "../../manifest/manifest.js";
import type { Geometry } from "../../preprocess/letterbox.js";
import { type DepthMap, decodeMap, type Extent, extent, extentOf, readRows } from "./depth-map.js";
import type { DepthOptions } from "./options.js";

/** The maps of a run that are in memory. */
export interface DepthMaps {
  depth: DepthMap;
  /** Null if it was not requested, or the model has none. */
  confidence: DepthMap | null;
}

type DepthFields = Omit<
  DepthResult,
  "size" | "timings" | "backend" | "preprocess" | "postprocess" | "fallback" | "warnings"
>;

/** Returns the result without the colours. */
export function depthResult(
  task: DepthTask,
  geometry: Geometry,
  { depth: map, confidence: sure }: DepthMaps,
  options: DepthOptions,
): DepthFields {
  const depth = options.values ? decodeMap(geometry, map) : null;
  const confidence = options.values && sure !== null ? decodeMap(geometry, sure) : null;
  const range = depth === null ? extentOf(readRows(geometry, map)) : extent(depth);
  const grid = options.map ? gridOf(geometry, map) : null;
  return { ...emptyDepthResult(task, geometry, range), depth, confidence, map: grid };
}

/** Returns the fields that every result has. */
export function emptyDepthResult(task: DepthTask, { source }: Geometry, range: Extent): DepthFields {
  const { quantity, unit } = task;
  const fields = { ...range, ...scaleOf(task, range), quantity, unit };
  return { kind: "depth", ...source, depth: null, confidence: null, map: null, colors: null, ...fields };
}

/** Returns the values of the bright and the dark end: of the model's range, or of the map's without one. */
export function scaleOf(
  { near, far, quantity }: Pick<DepthTask, "near" | "far" | "quantity">,
  { min, max }: Extent,
): { near: number; far: number } {
  const known = near !== null && far !== null && near < far;
  const [low, high] = known ? [near, far] : [min, max];
  return quantity === "depth" ? { near: low, far: high } : { near: high, far: low };
}

function gridOf({ left, top, width, height }: Geometry, { values, grid, input }: DepthMap): DepthGrid {
  const placed = { left, top, width, height };
  return { values: values.slice(), columns: grid.width, rows: grid.height, input, placed };
}
