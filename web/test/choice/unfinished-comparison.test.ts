import { afterEach, expect, test, vi } from "vitest";
import { BackendChoice, type Compared } from "../../src/choice/backend-choice.js";
import { bundle } from "../support/bundle.js";
import { GRAPH } from "../support/graphs.js";

afterEach(() => caches.delete("webbuild-findings"));

const place = {
  candidate: { backend: "webgpu", graph: GRAPH },
  remaining: [{ backend: "wasm", graph: { ...GRAPH, target: "wasm" } }],
  info: { engine: { threads: 1 }, adapter: null },
};

/** A choice whose other backend never opens. */
function choiceOf(key: string, worker: () => Worker): BackendChoice {
  const build = { build: "wasm", entry: "", glue: "", wasm: "" };
  const manifest = { engine: { name: "", version: "" }, engines: [build], files: [] };
  const request = { manifest, firstStageBackend: null, ownWorker: null, warn: () => {}, worker };
  const trial = { variant: manifest, loaded: place, time: 1e6, isEnough: true, bytes: 0 };
  const sessions = { open: async () => ({ loaded: place }) };
  const memory = { key, known: null };
  const compared = { sessions, request, prefer: "latency", memory, findTrial: async () => trial };
  return new BackendChoice(compared as unknown as Compared);
}

test("a comparison that crashed the page twice is not tried a third time", async () => {
  const key = bundle("finding/compared").href;
  const silent = URL.createObjectURL(new Blob([]));
  const worker = vi.fn(() => new Worker(silent));
  const visit = (): BackendChoice => choiceOf(key, worker);
  for (const opened of [1, 2]) {
    // the page is closed before this has ended
    void visit().choose(new AbortController().signal);
    await expect.poll(() => worker.mock.calls.length).toBe(opened);
  }
  const third = visit();
  await third.choose(new AbortController().signal);
  expect(third.info.reason).toBe("the backends are not compared: its trial did not end in 2 earlier visits");
  expect(worker).toHaveBeenCalledTimes(2);
});

test("a crash dated in the future does not block comparisons forever", async () => {
  const key = bundle("finding/ahead").href;
  const cache = await caches.open("webbuild-findings");
  await cache.put(`${key}-unfinished`, Response.json({ count: 2, at: Date.now() + 365 * 86_400_000 }));
  const worker = vi.fn(() => new Worker(URL.createObjectURL(new Blob([]))));
  void choiceOf(key, worker).choose(new AbortController().signal);
  await expect.poll(() => worker.mock.calls.length).toBe(1);
});

test("a comparison that a visitor's run interrupted is tried again", async () => {
  const key = bundle("finding/interrupted").href;
  const silent = URL.createObjectURL(new Blob([]));
  const worker = vi.fn(() => new Worker(silent));
  for (const opened of [1, 2, 3]) {
    const run = new AbortController();
    const choosing = choiceOf(key, worker).choose(run.signal);
    await expect.poll(() => worker.mock.calls.length).toBe(opened);
    run.abort();
    await expect(choosing).rejects.toBeDefined();
  }
});
