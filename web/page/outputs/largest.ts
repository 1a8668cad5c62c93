// The largest numbers of an output, or all numbers of a short output in their order, as bars.

import { inSlices } from "../../src/export/slices.js";
import type { ResultRow } from "../results/result-list.js";
import { short } from "../util/format.js";
import { numberAt, type Values } from "./behaviour.js";

const shown = 10;

/** Returns rows for a few numbers in their order; a bar's length is the number's magnitude. */
export function numberRows(data: Values): ResultRow[] {
  const values = Array.from(data, Number);
  const largest = Math.max(...values.map(Math.abs));
  return values.map((value, index) => ({
    label: `number ${index}`,
    color: null,
    detail: "",
    share: largest > 0 ? Math.abs(value) / largest : 0,
    value: short(Number(value.toPrecision(4))),
  }));
}

/** Returns rows, largest first; a bar's length is the distance from the least. Null if another output is shown meanwhile. */
export async function largestRows(data: Values, stopped: () => boolean): Promise<ResultRow[] | null> {
  const best: { index: number; value: number }[] = [];
  let least = Number.POSITIVE_INFINITY;
  const work = (from: number, end: number): void => {
    for (let index = from; index < end; index += 1) {
      const value = numberAt(data, index);
      if (!Number.isFinite(value)) continue;
      if (value < least) least = value;
      if (best.length === shown && value <= (best.at(-1)?.value ?? 0)) continue;
      const at = best.findIndex((other) => other.value < value);
      best.splice(at < 0 ? best.length : at, 0, { index, value });
      best.length = Math.min(best.length, shown);
    }
  };
  if (!(await inSlices(data.length, 100_000, work, stopped))) return null;
  const range = (best[0]?.value ?? 0) - least;
  return best.map(({ index, value }) => ({
    label: `number ${index}`,
    color: null,
    detail: "",
    share: range > 0 ? (value - least) / range : 1,
    value: short(Number(value.toPrecision(4))),
  }));
}
