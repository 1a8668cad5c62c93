// The engines that a service worker serves: stored apart from the bundle's files, as long as bundles use them.

import { afterEach, expect, test, vi } from "vitest";
import type { File } from "../../src/manifest/manifest.js";
import { FileCache } from "../../src/storage/file-cache.js";
import { storeServed } from "../../src/storage/served-engine.js";
import { cachedAddress, cachedAt, openFileStore } from "../../src/storage/storage-backends.js";
import { bundle } from "../support/bundle.js";

const DAY = 24 * 3_600_000;
const BASE = bundle("manifest.json").href;
const OTHER = bundle("parts.json").href;

const file = (name: string): File => ({
  path: name,
  size: 4,
  sha256: `stored-${name}`,
  uncompressedSha256: `engine-${name}`,
  encoding: "identity",
  uncompressedSize: 4,
  parts: [],
  quantization: "none",
});

const [engine, later] = [file("engine.wasm"), file("later.wasm")];
const isServed = async (): Promise<boolean> =>
  (await cachedAt(cachedAddress(engine.uncompressedSha256 ?? ""))) !== undefined;

afterEach(async () => {
  vi.restoreAllMocks();
  for (const name of await caches.keys()) await caches.delete(name);
});

test("an engine that is served again and again stays", async () => {
  let now = Date.now();
  vi.spyOn(Date, "now").mockImplementation(() => now);
  await storeServed(BASE, engine, new Uint8Array(4));
  for (let month = 0; month < 3; month++) {
    now += 30 * DAY;
    await storeServed(BASE, engine, null);
  }
  await storeServed(OTHER, later, new Uint8Array(4));
  expect(await isServed()).toBe(true);
  now += 61 * DAY;
  await storeServed(OTHER, later, null);
  expect(await isServed()).toBe(false);
});

test("where files are in Cache Storage too, neither list replaces the other", async () => {
  const opened = (): Promise<FileCache> =>
    FileCache.open(BASE, [engine], { open: openFileStore, limit: () => 10_000, warn: () => {} });
  const cache = await opened();
  await cache.put(engine, new Uint8Array(4));
  await storeServed(BASE, engine, new Uint8Array(4));
  await (await opened()).flushWrites();
  expect(await isServed()).toBe(true);
  expect(await (await openFileStore())?.read(engine.sha256)).toHaveLength(4);
});
