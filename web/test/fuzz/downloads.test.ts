// Files with wrong records in the manifest: their size, their encoding, their parts.

import fc from "fast-check";
import { expect, test } from "vitest";
import { fetchManifest } from "../../src/api/fetch-manifest.js";
import type { File, Manifest } from "../../src/manifest/manifest.js";
import { Downloads } from "../../src/storage/download.js";
import { FileCache } from "../../src/storage/file-cache.js";
import { bundle } from "../support/bundle.js";
import { damagedJson, expectTypedEnds } from "../support/fuzz.js";

const WHOLE = "model/weights.bin";

test("files are read or refused", async () => {
  const manifest: Manifest = await (await fetch(bundle("int8.json"))).json();
  const { files } = manifest;
  const needed = files.filter(({ path }) => path.startsWith("model/weights"));
  const addresses: Record<string, string> = {};
  for (const { path } of needed.filter(({ parts }) => parts.length === 0))
    addresses[path] = URL.createObjectURL(await (await fetch(bundle(path))).blob());
  const other = URL.createObjectURL(new Blob([new Uint8Array(40)]));
  const records = fc.tuple(damagedJson(needed), fc.constantFrom("", "", ...Object.keys(addresses)));
  await expectTypedEnds("files' records", [100, 2000], records, async ([text, replaced]) => {
    const listed = await listedFiles(manifest, text);
    const served = { ...addresses, ...(replaced ? { [replaced]: other } : {}) };
    const { signal } = new AbortController();
    const downloads = new Downloads(
      { base: location.href, addresses: served },
      listed,
      FileCache.none(),
      signal,
    );
    for (const path of new Set([WHOLE, ...needed.map((each) => each.path)])) await downloads.get(path);
  });
});

test("a file name that is a property of every object finds no file", () => {
  const { signal } = new AbortController();
  const downloads = new Downloads({ base: "https://host/", addresses: {} }, [], FileCache.none(), signal);
  expect(downloads.url("constructor")).toBe("https://host/constructor");
  expect(() => downloads.url("http://[")).toThrow(expect.objectContaining({ code: "invalid-manifest" }));
});

/** Returns the files of a manifest that the runtime reads. */
async function listedFiles(manifest: Manifest, files: string): Promise<File[]> {
  const text = JSON.stringify({ ...manifest, files: "FILES" }).replace('"FILES"', () => files);
  const url = URL.createObjectURL(new Blob([text]));
  return (await fetchManifest(url, undefined).finally(() => URL.revokeObjectURL(url))).files;
}
