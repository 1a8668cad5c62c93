// Cached values of earlier visits with missing, mistyped or absurd fields: valid ones are used, others ignored.

import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { readChoice } from "../../src/choice/choice-memory.js";
import { requireAdapter } from "../../src/gpu/gpu-device.js";
import { PreparedPipelines } from "../../src/gpu/prepared-pipelines.js";
import type { Manifest } from "../../src/manifest/manifest.js";
import { readSelfTest } from "../../src/self-test/self-test-cache.js";
import { EMPTY_GPU_SETUP, readGpuSetup } from "../../src/session/gpu-setup.js";
import { openBundle } from "../../src/storage/bundle-lists.js";
import type { FileStore } from "../../src/storage/storage-backends.js";
import { TrialCount } from "../../src/storage/trial-count.js";
import { bundle } from "../support/bundle.js";
import { damagedJson, expectTypedEnds } from "../support/fuzz.js";

const CACHE = "webbuild-findings";
const BASE = bundle("").href;
const KEY = bundle("finding/kept").href;
const at = Date.now() - 1_000;
const warn = (): void => {};

afterEach(() => caches.delete(CACHE));

const keep = async (key: string, text: string): Promise<void> =>
  (await caches.open(CACHE)).put(key, new Response(text));
const used = (isUsed: boolean): string => (isUsed ? "accepted" : "left alone");
/** Draws JSON of some values, damaged, or invalid JSON. */
const texts = (...whole: readonly unknown[]): fc.Arbitrary<string> =>
  fc.oneof({ arbitrary: damagedJson(...whole), weight: 9 }, { arbitrary: fc.string(), weight: 1 });

test("a verdict of a self-test", async () => {
  const whole = [
    { reason: null, at },
    { reason: "wrong answer", at },
  ];
  await expectTypedEnds("kept verdicts", [100, 2000], texts(...whole), async (text) => {
    await keep(KEY, text);
    const verdict = await readSelfTest(KEY, warn);
    if (verdict !== null) expect(verdict.reason === null || typeof verdict.reason === "string").toBe(true);
    return used(verdict !== null);
  });
});

test("a count of unfinished trials", async () => {
  await expectTypedEnds(
    "kept counts",
    [100, 2000],
    texts({ count: 2, at }, { count: 1, at }),
    async (text) => {
      await keep(`${KEY}-unfinished`, text);
      const refusal = await new TrialCount(KEY, warn).refusal();
      await new TrialCount(KEY, warn).begin();
      const { count } = JSON.parse((await (await caches.match(`${KEY}-unfinished`))?.text()) ?? "{}");
      expect(count).toBeGreaterThan(0);
      return used(refusal !== null || count > 1);
    },
  );
});

test("a choice of backend", async () => {
  const manifest: Manifest = await (await fetch(bundle("manifest.json"))).json();
  const read = async (): ReturnType<typeof readChoice> =>
    readChoice(manifest, BASE, { prefer: "latency", precision: "fp32", backend: undefined }, warn);
  const { key } = await read();
  const adapter = (await requireAdapter().catch(() => null))?.info ?? null;
  const whole = {
    backend: "wasm",
    reason: "faster",
    times: { webgpu: [9, 8], wasm: [1] },
    adapter,
    at,
  };
  await expectTypedEnds(
    "kept choices",
    [100, 2000],
    texts(whole, { ...whole, times: null }),
    async (text) => {
      await keep(key, text);
      const { known } = await read();
      if (known === null) return used(false);
      expect(["webgpu", "wasm"]).toContain(known.backend);
      for (const runs of Object.values(known.times ?? {}))
        expect(runs.map((each) => each.toFixed(1))).toBeDefined();
      return used(true);
    },
  );
});

test("the GPU requirements of a graph", async () => {
  const source = {
    code: "@compute @workgroup_size(1) fn main() {}",
    entryPoint: "main",
    groups: [[{ binding: 0, visibility: 4, buffer: { type: "storage" } }], []],
  };
  const whole = {
    device: { requiredFeatures: [], requiredLimits: { maxBufferSize: 8 } },
    pipelines: [source],
  };
  const device = await (await navigator.gpu.requestAdapter())?.requestDevice();
  await expectTypedEnds("kept pipelines", [100, 1000], texts(whole), async (text) => {
    await keep(`${KEY}-gpu-work-1`, text);
    const work = await readGpuSetup(KEY, warn);
    const pipelines = new PreparedPipelines();
    pipelines.prepare(work.pipelines);
    if (device !== undefined) pipelines.watch(device);
    return used(work !== EMPTY_GPU_SETUP);
  });
  device?.destroy();
});

test("a list of a bundle's files", async () => {
  const list = { manifest: BASE, used: at, files: ["a", "b"] };
  await expectTypedEnds("kept lists", [100, 2000], texts(list), async (text) => {
    const files = new Map([["bundle-other", new TextEncoder().encode(text)]]);
    const store: FileStore = {
      read: async (name) => files.get(name) ?? null,
      names: async () => [...files.keys()],
      remove: async (name) => void files.delete(name),
      write: async (name, ...pieces) =>
        void files.set(name, new Uint8Array(await new Blob(pieces).arrayBuffer())),
    };
    await openBundle(store, bundle("own.json").href, ["c"], 10_000);
    return used(files.has("bundle-other"));
  });
});
