// Comparing numbers, so that empty, short or NaN outputs never pass.

import { expect } from "vitest";

export function expectClose(got: ArrayLike<number>, want: ArrayLike<number>, tolerance: number): void {
  expect(want.length).toBeGreaterThan(0);
  expect(got.length).toBe(want.length);
  const off = Array.from(want, (value, index) => distance(value, got[index]));
  const worst = off.indexOf(Math.max(...off));
  expect(off[worst], `element ${worst}: wanted ${want[worst]}, got ${got[worst]}`).toBeLessThanOrEqual(
    tolerance,
  );
}

/** NaN is infinitely far from everything. */
function distance(want: number, got: number | undefined): number {
  const off = Math.abs(want - (got ?? Number.NaN));
  return Number.isNaN(off) ? Number.POSITIVE_INFINITY : off;
}
