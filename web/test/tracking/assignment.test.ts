import { expect, test } from "vitest";
import { assign, type Row } from "../../src/tracking/assignment.js";

const LIMIT = 0.8;

/** A generator of numbers from 0 to 1, the same for the same seed. */
function drawing(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}

/** The least sum of costs, by brute force. */
function least(rows: readonly Row[], taken: ReadonlySet<number> = new Set()): number {
  const [row, ...others] = rows;
  if (row === undefined) return 0;
  const free = row.filter(({ column }) => !taken.has(column));
  const sums = free.map(({ column, cost }) => cost + least(others, new Set([...taken, column])));
  return Math.min(LIMIT + least(others, taken), ...sums);
}

function sumOf(rows: readonly Row[], columns: Int32Array): number {
  return rows.reduce((sum, row, index) => {
    const own = row.find(({ column }) => column === columns[index]);
    return sum + (own?.cost ?? LIMIT);
  }, 0);
}

test("an assignment has the minimum cost", () => {
  const random = drawing(7);
  for (let round = 0; round < 300; round++) {
    const [rowCount, columnCount] = [1 + Math.floor(random() * 6), 1 + Math.floor(random() * 6)];
    const rows = Array.from({ length: rowCount }, () =>
      Array.from({ length: columnCount }, (_, column) => ({ column, cost: random() })).filter(
        ({ cost }) => cost < LIMIT,
      ),
    );
    const { columns } = assign(rows, columnCount, LIMIT);
    const given = [...columns].filter((column) => column !== -1);
    expect(new Set(given).size).toBe(given.length);
    expect(sumOf(rows, columns)).toBeCloseTo(least(rows), 10);
  }
});

test("with equal costs each row gets its own column", () => {
  const rows = Array.from({ length: 40 }, () =>
    Array.from({ length: 40 }, (_, column) => ({ column, cost: 0.1 })),
  );
  expect(new Set(assign(rows, 40, LIMIT).columns).size).toBe(40);
});

test("unconnected groups take time proportional to their number", () => {
  const random = drawing(3);
  const groups = (count: number): Row[] =>
    Array.from({ length: count * 4 }, (_, row) =>
      Array.from({ length: 4 }, (_, other) => ({ column: row - (row % 4) + other, cost: random() * 0.7 })),
    );
  const [some, many] = [100, 2500].map((count) => assign(groups(count), count * 4, LIMIT).work);
  expect(some).toBeGreaterThan(0);
  expect((many ?? 0) / (some ?? 1)).toBeLessThan(27);
});

test("a cluster of thousands ends at a work limit", () => {
  const random = drawing(5);
  const rows = Array.from({ length: 10_000 }, () =>
    Array.from({ length: 64 }, () => ({ column: Math.floor(random() * 5000), cost: random() * 0.7 })),
  );
  const { columns, work } = assign(rows, 5000, LIMIT);
  expect(work).toBeLessThan(1e8);
  const given = [...columns].filter((column) => column !== -1);
  expect(given.length).toBeGreaterThan(4000);
  expect(new Set(given).size).toBe(given.length);
});
