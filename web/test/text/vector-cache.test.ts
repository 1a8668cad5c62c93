// The cached vectors of texts.

import { expect, test } from "vitest";
import { VectorCache } from "../../src/text/vector-cache.js";

/** Yields the length of each text as its vector, and records the texts. */
function embedding(seen: string[] = []) {
  return async function* (texts: readonly string[]) {
    for (const text of texts) {
      seen.push(text);
      await Promise.resolve();
      yield Float32Array.of(text.length);
    }
  };
}

const lengths = (vectors: Map<string, Float32Array>) =>
  Object.fromEntries([...vectors].map(([text, [length]]) => [text, length]));

test("a text is embedded once", async () => {
  const cache = new VectorCache();
  const seen: string[] = [];
  await cache.vectorsOf(["a", "bb", "a"], embedding(seen));
  expect(lengths(await cache.vectorsOf(["bb", "ccc"], embedding(seen)))).toEqual({ bb: 2, ccc: 3 });
  expect(seen).toEqual(["a", "bb", "ccc"]);
});

test("the oldest are dropped", async () => {
  const cache = new VectorCache(2);
  const seen: string[] = [];
  await cache.vectorsOf(["a", "bb", "ccc"], embedding());
  await cache.vectorsOf(["bb", "ccc"], embedding(seen));
  await cache.vectorsOf(["a"], embedding(seen));
  expect(seen).toEqual(["a"]);
});

test("overlapping calls with more texts than are kept each get all their vectors", async () => {
  const cache = new VectorCache(2);
  await cache.vectorsOf(["a"], embedding());
  const calls = [["a", "bb", "ccc", "dddd"], ["eeeee"], ["ffffff", "ggggggg", "hhhhhhhh"]];
  const found = await Promise.all(calls.map((texts) => cache.vectorsOf(texts, embedding())));
  expect(found.map(lengths)).toEqual([
    { a: 1, bb: 2, ccc: 3, dddd: 4 },
    { eeeee: 5 },
    { ffffff: 6, ggggggg: 7, hhhhhhhh: 8 },
  ]);
});

test("what was embedded before a failure stays", async () => {
  const cache = new VectorCache();
  const seen: string[] = [];
  const failing = async function* () {
    yield Float32Array.of(1);
    throw new Error("stopped");
  };
  await expect(cache.vectorsOf(["a", "bb"], failing)).rejects.toThrow("stopped");
  await cache.vectorsOf(["a", "bb"], embedding(seen));
  expect(seen).toEqual(["bb"]);
});
