// The compiled code of an engine, which a page has once for all its workers.

import { describe, expect, test } from "vitest";
import { chooseBuild } from "../../src/engine/engine.js";
import { engineCodeOf } from "../../src/engine/engine-code.js";
import type { Manifest } from "../../src/manifest/manifest.js";
import { backends, bundle, picture, runtime } from "../support/bundle.js";

const manifest: Manifest = await (await fetch(bundle("conv.json"))).json();

describe.each(backends)("the engine's code, on %s,", (backend) => {
  test("is not downloaded again for a second worker", async () => {
    const { wasm } = chooseBuild(manifest, backend);
    const address = URL.createObjectURL(await (await fetch(bundle(wasm))).blob());
    // A model with a trace has a worker of its own.
    const options = { backend, cache: false, trace: true, addresses: { [wasm]: address } };
    const first = await runtime.load(bundle("conv.json"), options);
    URL.revokeObjectURL(address);
    const second = await runtime.load(bundle("conv.json"), options);
    const image = await picture("upright.png");
    const [{ timings: _, ...one }, { timings: __, ...other }] = await Promise.all([
      first.run(image),
      second.run(image),
    ]);
    expect(other).toEqual(one);
    await Promise.all([first.dispose(), second.dispose()]);
  });
});

test("the engine's code is that of one file, at one address, of one content", () => {
  const { wasm } = chooseBuild(manifest, "wasm");
  const base = "https://example.com/model/";
  const code = engineCodeOf(wasm, manifest, base, {});
  expect(engineCodeOf(wasm, structuredClone(manifest), base, {})).toBe(code);
  expect(engineCodeOf(wasm, manifest, "https://example.com/other/", {})).not.toBe(code);
  expect(engineCodeOf(wasm, manifest, base, { [wasm]: "https://example.org/" })).not.toBe(code);
  const files = manifest.files.map((file) => ({ ...file, sha256: "0".repeat(64) }));
  expect(engineCodeOf(wasm, { ...manifest, files }, base, {})).not.toBe(code);
});
