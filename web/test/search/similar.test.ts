import { describe, expect, test } from "vitest";
import { similar } from "../../src/search/similar.js";
import { casesOf } from "../support/conformance.js";

interface Case {
  dimension: number;
  vectors: number[];
  query: number[];
  k: number;
  want: { index: number; cosine: number }[];
  tolerance: number;
}

const named = (count: number) => Array.from({ length: count }, (_, at) => `picture ${at}`);

test.each(casesOf<Case>("similar"))("%s", async (_, { dimension, vectors, query, k, want, tolerance }) => {
  const names = named(vectors.length / dimension);
  const got = await similar({ vectors: Float32Array.from(vectors), names, dimension }, query, k);
  expect(got.map(({ index }) => index)).toEqual(want.map(({ index }) => index));
  expect(got.map(({ name }) => name)).toEqual(want.map(({ index }) => `picture ${index}`));
  for (const [at, { cosine }] of got.entries())
    expect(Math.abs(cosine - (want[at]?.cosine ?? Number.NaN))).toBeLessThanOrEqual(tolerance);
});

/** Numbers from -1 to 1, the same each time. */
function randomVectors(count: number, dimension: number): Float32Array {
  let state = 12345;
  return Float32Array.from({ length: count * dimension }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}

test("a search over many vectors leaves the page responsive, and is exact", async () => {
  const [count, dimension, k] = [60_000, 256, 50];
  const vectors = randomVectors(count, dimension);
  const query = vectors.slice(0, dimension);
  let beats = 0;
  const beat = setInterval(() => {
    beats += 1;
  });
  const began = performance.now();
  const got = await similar({ vectors, names: named(count), dimension }, query, k);
  clearInterval(beat);
  // On average: another program may take the processor for longer.
  expect((performance.now() - began) / beats).toBeLessThan(50);
  const length = Math.hypot(...query);
  const all = Array.from({ length: count }, (_, row) => {
    let sum = 0;
    for (let at = 0; at < dimension; at += 1)
      sum += ((vectors[row * dimension + at] ?? 0) * (query[at] ?? 0)) / length;
    return { row, sum };
  }).sort((one, other) => other.sum - one.sum);
  expect(got.map(({ index }) => index)).toEqual(all.slice(0, k).map(({ row }) => row));
});

describe("mismatched arguments are an error", () => {
  const index = { vectors: Float32Array.of(1, 0, 0, 1), names: ["a", "b"], dimension: 2 };
  test.each([
    ["a query of another length", index, [1, 0, 0], 1],
    ["a query of zeros", index, [0, 0], 1],
    ["a query that is not finite", index, [Number.NaN, 1], 1],
    ["no pictures", index, [1, 0], 0],
    ["half a picture", index, [1, 0], 1.5],
    ["an index without all numbers", { ...index, names: ["a"] }, [1, 0], 1],
  ])("%s", async (_, given, query, k) => {
    await expect(similar(given, query, k)).rejects.toMatchObject({ code: "invalid-option" });
  });

  test("a vector with NaN is similar to nothing", async () => {
    const broken = { ...index, vectors: Float32Array.of(Number.NaN, 0, 0, 1) };
    const [first, second] = await similar(broken, [1, 1], 2);
    expect([first?.index, second?.index]).toEqual([1, 0]);
  });
});
