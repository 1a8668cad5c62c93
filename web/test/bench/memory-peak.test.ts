// The peak of memory is that of measurements without a gap.

import { expect, test } from "vitest";
import { MemoryPeak } from "../../../webbuild/bench/page/memory.js";

/** Measures what it is told, one after another, then never again. */
async function watched(...told: (number | null | Error)[]): Promise<number | null> {
  const left = [...told];
  const peak = new MemoryPeak(async () => {
    const next = left.shift();
    if (next === undefined) return new Promise<number | null>(() => {});
    if (next instanceof Error) throw next;
    return next;
  });
  peak.watch();
  await new Promise((resolve) => setTimeout(resolve, 10));
  return peak.stop();
}

test("the peak is the largest measurement", async () => {
  expect(await watched(10, 30, 20)).toBe(30);
});

test("there is none where a measurement is missing", async () => {
  expect(await watched(10, null, 20)).toBeNull();
});

test("there is none where a measurement fails", async () => {
  expect(await watched(10, new Error("it is not allowed here"))).toBeNull();
});

test("there is none before the first measurement", async () => {
  expect(await watched()).toBeNull();
});
