import { afterEach, expect, test, vi } from "vitest";
import { inSlices } from "../../src/export/slices.js";

afterEach(() => vi.restoreAllMocks());

/** Returns the ends of time slices that take this many milliseconds each. */
async function ends(milliseconds: readonly number[], count: number): Promise<number[]> {
  let now = 0;
  const left = [...milliseconds];
  vi.spyOn(performance, "now").mockImplementation(() => now);
  const seen: number[] = [];
  await inSlices(count, 64, (from, end) => {
    expect(from).toBe(seen.at(-1) ?? 0);
    seen.push(end);
    now += left.shift() ?? 0;
  });
  return seen;
}

test("slices grow while they are fast", async () => {
  expect(await ends([], 200)).toEqual([4, 12, 28, 60, 124, 188, 200]);
});

test("slices shrink while they are slow, but not below the first", async () => {
  expect(await ends([1, 1, 20, 20, 20, 20, 10], 64)).toEqual([4, 12, 28, 36, 40, 44, 48, 52, 60, 64]);
});

test("an aborted loop is not finished", async () => {
  const done: number[] = [];
  const finished = await inSlices(
    10,
    1,
    (from) => done.push(from),
    () => done.length === 3,
  );
  expect([finished, done]).toEqual([false, [0, 1, 2]]);
});

test("an empty loop has no time slice", async () => {
  expect(await inSlices(0, 5, () => expect.unreachable())).toBe(true);
});
