// Statistics of a tensor, computed in slices so that the page stays responsive.

import { inSlices, pause } from "../../src/export/slices.js";
import type { TensorData } from "../../src/index.js";

export interface Statistics {
  minimum: number;
  maximum: number;
  mean: number;
  /** The largest difference to the recorded tensor; null if none was recorded, NaN if shapes differ. */
  difference: number | null;
  first: number[];
  /** Counts in equal bins from the least to the largest number; empty if these are not finite. */
  histogram: number[];
}

const slice = 100_000;
const bins = 16;

export async function statistics(
  { data }: TensorData,
  recorded: TensorData | undefined,
): Promise<Statistics> {
  let minimum = Number.POSITIVE_INFINITY;
  let maximum = Number.NEGATIVE_INFINITY;
  let sum = 0;
  let difference = recorded?.data.length === data.length ? 0 : Number.NaN;
  await inSlices(data.length, slice, (from, end) => {
    for (let index = from; index < end; index += 1) {
      const value = Number(data[index]);
      minimum = Math.min(minimum, value);
      maximum = Math.max(maximum, value);
      sum += value;
      if (recorded) difference = Math.max(difference, distance(value, Number(recorded.data[index])));
    }
  });
  await pause();
  const first = Array.from({ length: Math.min(3, data.length) }, (_, index) => Number(data[index]));
  const summary = {
    minimum,
    maximum,
    mean: sum / data.length,
    difference: recorded ? difference : null,
    first,
  };
  return { ...summary, histogram: await histogram(data, minimum, maximum) };
}

async function histogram(data: TensorData["data"], minimum: number, maximum: number): Promise<number[]> {
  if (!Number.isFinite(maximum - minimum)) return [];
  const counts = new Array<number>(bins).fill(0);
  const scale = maximum > minimum ? bins / (maximum - minimum) : 0;
  await inSlices(data.length, slice, (from, end) => {
    for (let index = from; index < end; index += 1) {
      const bin = Math.min(bins - 1, Math.floor((Number(data[index]) - minimum) * scale));
      counts[bin] = (counts[bin] ?? 0) + 1;
    }
  });
  await pause();
  return counts;
}

/** Returns the absolute difference: 0 for equal infinities, NaN for NaN. */
function distance(a: number, b: number): number {
  return a === b ? 0 : Math.abs(a - b);
}
