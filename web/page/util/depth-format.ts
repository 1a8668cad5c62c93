// Formats depth values.

import type { DepthTask } from "../../src/manifest/manifest.js";
import { short } from "./format.js";

/** Returns "1.24 m", or four digits without a unit; a dash for values that are not finite. */
export function formatDepth(unit: DepthTask["unit"], value: number): string {
  if (!Number.isFinite(value)) return "–";
  return unit === "metres" ? `${value.toFixed(value < 10 ? 2 : 1)} m` : short(Number(value.toPrecision(4)));
}
