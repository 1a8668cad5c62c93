// Statistics of a tensor, worked out in slices so that the page never stalls.

import type { TensorData } from "../../src/index.js";

export interface Statistics {
  minimum: number;
  maximum: number;
  mean: number;
  /** The largest difference to the recorded tensor; null where none was recorded, NaN where shapes differ. */
  difference: number | null;
  first: number[];
}

const slice = 100_000;

export async function statistics(
  { data }: TensorData,
  recorded: TensorData | undefined,
): Promise<Statistics> {
  let minimum = Number.POSITIVE_INFINITY;
  let maximum = Number.NEGATIVE_INFINITY;
  let sum = 0;
  let difference = recorded?.data.length === data.length ? 0 : Number.NaN;
  for (let start = 0; start < data.length; start += slice) {
    const end = Math.min(data.length, start + slice);
    for (let index = start; index < end; index += 1) {
      const value = Number(data[index]);
      minimum = Math.min(minimum, value);
      maximum = Math.max(maximum, value);
      sum += value;
      if (recorded) difference = Math.max(difference, distance(value, Number(recorded.data[index])));
    }
    await pause();
  }
  const first = Array.from({ length: Math.min(5, data.length) }, (_, index) => Number(data[index]));
  return { minimum, maximum, mean: sum / data.length, difference: recorded ? difference : null, first };
}

/** Equal infinities are equal; NaN is equal to nothing. */
function distance(a: number, b: number): number {
  return a === b ? 0 : Math.abs(a - b);
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
