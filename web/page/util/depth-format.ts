// How a depth is written.

import type { DepthTask } from "../../src/manifest/manifest.js";
import { short } from "./format.js";

/** 1.24 m, or a bare number of four digits. A value that is none has a dash. */
export function formatDepth(unit: DepthTask["unit"], value: number): string {
  if (!Number.isFinite(value)) return "–";
  return unit === "metres" ? `${value.toFixed(value < 10 ? 2 : 1)} m` : short(Number(value.toPrecision(4)));
}
