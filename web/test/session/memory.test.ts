// The worker's JavaScript memory for a model after load(): none of the downloaded bytes.

import { describe, expect, test } from "vitest";
import { backends, picture, runtime, stored, withWorker } from "../support/bundle.js";

interface Bytes {
  what: "download" | "wasm";
  size: number;
  /** Returns how many of them are alive after a garbage collection. */
  alive: number;
}

/** The size of the file from which each manifest's graph is made. */
const MODELS = [
  ["manifest.json", 3136],
  ["golden.json", 985],
] as const;
const WASM = 10_000_000;

function remembered(): Promise<Bytes[]> {
  const channel = new BroadcastChannel("remembered");
  return new Promise((resolve) => {
    channel.onmessage = ({ data }) => {
      channel.close();
      resolve(data);
    };
    channel.postMessage("ask");
  });
}

describe.each(backends)("after load() on %s", (backend) => {
  test.each(MODELS)("the worker keeps no downloaded bytes of %s", async (manifest, file) => {
    await withWorker("worker-remembering.js", async () => {
      const model = await runtime.load(stored(manifest), { backend, cache: false });
      const before = await remembered();
      expect(before.filter(({ what, size }) => what === "download" && size === file)).toHaveLength(1);
      expect(before.filter(({ what, size }) => what === "wasm" && size > WASM)).toHaveLength(1);
      expect(before.filter(({ alive }) => alive > 0)).toEqual([]);
      expect(await model.run(await picture("upright.png"))).toMatchObject({ backend });
      await model.dispose();
    });
  });
});
