// What the numbers of a depth map mean: where near and far are on the scale of colours, and how a value is written.

import type { DepthResult } from "../src/index.js";
import type { DepthTask } from "../src/manifest.js";
import { short } from "./format.js";

export interface Scale {
  /** The values at the dark end and at the bright end: what is near is bright. */
  dark: number;
  bright: number;
  unit: DepthTask["unit"];
}

/** From the model's own range where it tells one, else from the map's. */
export function scaleOf(result: DepthResult, { near, far }: DepthTask): Scale {
  const known = near !== null && far !== null && near < far;
  const low = known ? near : result.min;
  const high = known ? far : result.max;
  const { quantity, unit } = result;
  return quantity === "depth" ? { dark: high, bright: low, unit } : { dark: low, bright: high, unit };
}

/** The value's place between the dark end and the bright end. */
export function shareOf({ dark, bright }: Scale, value: number): number {
  return bright === dark ? 0.5 : (value - dark) / (bright - dark);
}

/** 1.24 m, or a bare number of four digits. A value that is none has a dash. */
export function inWords({ unit }: Pick<Scale, "unit">, value: number): string {
  if (!Number.isFinite(value)) return "–";
  return unit === "metres" ? `${value.toFixed(value < 10 ? 2 : 1)} m` : short(Number(value.toPrecision(4)));
}
