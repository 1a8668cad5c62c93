// Runs one after another, timed.

import type { Job } from "./job.js";

export async function timed<T>(work: () => Promise<T>): Promise<[milliseconds: number, result: T]> {
  const began = performance.now();
  const result = await work();
  return [performance.now() - began, result];
}

/** Returns the milliseconds of each run that counts. At least one does, however long it takes. */
export async function repeat({ runs, warming, limit }: Job, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  const began = performance.now();
  for (let run = 0; run < warming && performance.now() - began < limit / 4; run++) await work();
  do {
    const [milliseconds] = await timed(work);
    times.push(milliseconds);
  } while (times.length < runs && performance.now() - began < limit);
  return times;
}
