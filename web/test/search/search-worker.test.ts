import { expect, test } from "vitest";
import { SearchWorker } from "../../src/search/search-worker.js";
import { SEARCH_WORKER } from "../../src/search/searches.js";
import { VectorRows } from "../../src/wasm/vector-rows.js";

const DIMENSION = 8;
const query = Float64Array.from({ length: DIMENSION }, () => Math.sqrt(1 / DIMENSION));

function startWorker(): Worker {
  return new Worker(new URL("../../src/worker.ts", import.meta.url), { type: "module", name: SEARCH_WORKER });
}

/** More numbers than one chunk; the row at `best` is the query. */
function vectors(best: number): Float32Array {
  const made = Float32Array.from({ length: 100_000 * DIMENSION }, (_, at) => Math.sin(at * at) / 4);
  made.set(Float32Array.from(query), best * DIMENSION);
  return made;
}

test("a worker finds the best of each index, which it receives once", async () => {
  const posted: unknown[] = [];
  const worker = startWorker();
  const post = worker.postMessage.bind(worker) as (message: unknown, moved: Transferable[]) => void;
  worker.postMessage = (message: unknown, moved: unknown) => {
    posted.push(message);
    post(message, moved as Transferable[]);
  };
  const search = new SearchWorker(() => worker);
  const [one, other] = [vectors(99_999), vectors(7)];
  const found = await Promise.all([one, other, one].map((each) => search.search(each, query, 2)));
  expect(found.map((each) => each?.[0]?.place)).toEqual([99_999, 7, 99_999]);
  expect(found[0]?.[0]?.score).toBeCloseTo(1, 6);
  expect(found.map((each) => each?.length)).toEqual([2, 2, 2]);
  expect(posted.filter((each) => "rows" in Object(each))).toHaveLength(4);
  worker.terminate();
});

test.each([1, 7, 8, 10, 512])("rows of %d numbers have the same products as plain sums", (dimension) => {
  const count = 37;
  const all = Float32Array.from({ length: count * dimension }, (_, at) => Math.sin(at * at));
  const asked = Float64Array.from({ length: dimension }, (_, at) => Math.cos(at));
  const rows = new VectorRows(count, dimension);
  rows.set(0, all.slice(0, 20 * dimension));
  rows.set(20, all.slice(20 * dimension));
  const want = Array.from({ length: count }, (_, row) =>
    asked.reduce((sum, value, at) => sum + value * (all[row * dimension + at] ?? 0), 0),
  );
  for (const [row, product] of rows.products(asked).entries())
    expect(product).toBeCloseTo(want[row] ?? 0, 12);
  expect(rows.products(asked)).toHaveLength(count);
});

test("without a worker there is no result, and no second try", async () => {
  let started = 0;
  const search = new SearchWorker(() => {
    started += 1;
    throw new Error("no worker");
  });
  expect(await search.search(vectors(1), query, 1)).toBeNull();
  expect(await search.search(vectors(1), query, 1)).toBeNull();
  expect(started).toBe(1);
});

test("a script that fails to load gives no result to any caller", async () => {
  const search = new SearchWorker(() => new Worker(URL.createObjectURL(new Blob(["this is no script"]))));
  const found = await Promise.all([1, 2].map((best) => search.search(vectors(best), query, 1)));
  expect(found).toEqual([null, null]);
});

test("a worker that is killed while it receives an index gives no result, and no search waits for it", async () => {
  const worker = startWorker();
  const post = worker.postMessage.bind(worker) as (message: unknown, moved: Transferable[]) => void;
  worker.postMessage = (message: unknown, moved: unknown) => {
    post(message, moved as Transferable[]);
    if ("rows" in Object(message)) worker.terminate();
  };
  const search = new SearchWorker(() => worker);
  const found = await Promise.all([1, 2].map((best) => search.search(vectors(best), query, 1)));
  expect(found).toEqual([null, null]);
});
