// Manifests of every kind of model with missing, mistyped or absurd fields: loaded or refused.

import fc from "fast-check";
import { expect, test } from "vitest";
import { closeResults } from "../../src/api/close-results.js";
import type { WebbuildError } from "../../src/api/errors.js";
import { fetchManifest } from "../../src/api/fetch-manifest.js";
import type { RunOptions } from "../../src/index.js";
import { graphFiles } from "../../src/manifest/graphs.js";
import type { Manifest } from "../../src/manifest/manifest.js";
import { everyStage } from "../../src/manifest/stages.js";
import { Downloads } from "../../src/storage/download.js";
import { FileCache } from "../../src/storage/file-cache.js";
import { bundle, loadTiny, picture, runtime } from "../support/bundle.js";
import { damagedJson, expectTypedEnds } from "../support/fuzz.js";
import { TINY_TASKS } from "../support/tiny-tasks.js";

const NAMES = [
  "manifest.json",
  "int8.json",
  "parts.json",
  "sizes.json",
  "three-stages.json",
  "suppressed.json",
];

async function manifests(): Promise<Manifest[]> {
  const answers = await Promise.all(NAMES.map((name) => fetch(bundle(name))));
  return Promise.all(answers.filter(({ ok }) => ok).map((answer) => answer.json()));
}

async function served<T>(text: string, work: (url: string) => Promise<T>): Promise<T> {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  try {
    return await work(url);
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** The first steps of every load with a manifest. */
function readFirst(manifest: Manifest, url: string): void {
  for (const { graphs } of everyStage(manifest)) graphs.map(graphFiles);
  new Downloads({ base: url, addresses: {} }, manifest.files, FileCache.none(), new AbortController().signal);
}

test("a manifest is read or refused", async () => {
  const inputs = damagedJson(...(await manifests()));
  await expectTypedEnds("manifests", [200, 4000], inputs, (text) =>
    served(text, async (url) => readFirst(await fetchManifest(url, undefined), url)),
  );
});

test.each<[what: string, change: (manifest: Manifest) => unknown]>([
  ["no files", (manifest) => ({ ...manifest, files: null })],
  ["a file of no size", (manifest) => ({ ...manifest, files: [{ ...manifest.files[0], size: -1 }] })],
  [
    "parts that are no list",
    (manifest) => ({ ...manifest, files: [{ ...manifest.files[0], parts: { length: 2 ** 40 } }] }),
  ],
  [
    "an unknown encoding",
    (manifest) => ({ ...manifest, files: [{ ...manifest.files[0], encoding: "constructor" }] }),
  ],
  ["a graph without a file", (manifest) => ({ ...manifest, graphs: [{ weights: [] }] })],
])("a manifest with %s is refused", async (_, change) => {
  const [manifest] = await manifests();
  if (manifest === undefined) throw new Error("there is no manifest");
  const reading = served(JSON.stringify(change(manifest)), (url) => fetchManifest(url, undefined));
  await expect(reading).rejects.toMatchObject({ code: "invalid-manifest" });
});

const LOADED = Object.values(TINY_TASKS);

test("a bundle with any manifest is loaded and run, or refused", async () => {
  // An open model keeps the worker and its engine.
  const stays = await loadTiny({ backend: "wasm" });
  const image = await picture("upright.png");
  const whole = await Promise.all(LOADED.map(async ([name]) => (await fetch(bundle(name))).json()));
  const inputs = fc
    .nat(LOADED.length - 1)
    .chain((at) => damagedJson(whole[at]).map((text) => ({ text, options: LOADED[at]?.[1] })));
  await expectTypedEnds("bundles that are loaded", [20, 600], inputs, async ({ text, options }) => {
    const error = await loadAndRun(text, image, options).catch((reason: unknown) => reason);
    if (error === undefined) return "accepted";
    // The built runtime has its own error class.
    const refused = { name: "WebbuildError", code: expect.any(String), fix: expect.any(String) };
    expect(error).toMatchObject(refused);
    expect(error).not.toMatchObject({ code: "internal" });
    return (error as WebbuildError).code;
  });
  await stays.dispose();
});

test("a stage whose graph takes more crops than possible is refused", async () => {
  const manifest: Manifest = await (await fetch(bundle("crop-classes.json"))).json();
  const [input] = manifest.stages?.[0]?.inputs ?? [];
  if (input?.kind !== "crop") throw new Error("the stage takes no crops");
  input.shape[0] = 7;
  const running = loadAndRun(JSON.stringify(manifest), await picture("upright.png"), undefined);
  await expect(running).rejects.toMatchObject({ code: "no-graph" });
});

async function loadAndRun(text: string, image: Blob, run: RunOptions | undefined): Promise<void> {
  const options = { backend: "wasm", cache: false, addresses: filesOf(text) } as const;
  const model = await served(text, (url) => runtime.load(url, options));
  try {
    closeResults(await model.run(image, run));
  } finally {
    await model.dispose();
  }
}

function filesOf(text: string): Record<string, string> {
  const paths = text.match(/"(?:model|runtime|golden)[^"]*"/g) ?? [];
  return Object.fromEntries(paths.map((path) => [JSON.parse(path), bundle(JSON.parse(path)).href]));
}
