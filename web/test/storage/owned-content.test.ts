import { expect, test } from "vitest";
import type { File } from "../../src/manifest/manifest.js";
import { Downloads } from "../../src/storage/download.js";
import type { FileCache } from "../../src/storage/file-cache.js";
import { sha256 } from "../../src/storage/sha256.js";

const CONTENT = new Uint8Array([1, 2, 3]);

/** Returns the downloads of one file, with a cache that has not written its content yet. */
async function downloads(stored: boolean): Promise<Downloads> {
  const hash = await sha256(CONTENT);
  const size = CONTENT.byteLength;
  const file: File = {
    path: "model/weights.bin",
    size,
    sha256: hash,
    uncompressedSize: size,
    encoding: "identity",
    quantization: "none",
    parts: [],
  };
  const found = { bytes: CONTENT.slice(), isDecompressed: true };
  const cache = { get: async () => (stored ? found : null), put() {}, flushWrites: async () => false };
  const addresses = { [file.path]: URL.createObjectURL(new Blob([CONTENT])) };
  const locations = { base: location.href, addresses };
  return new Downloads(locations, [file], cache as unknown as FileCache, new AbortController().signal);
}

test.each([
  ["from storage", true],
  ["that is being written", false],
])("content %s: exclusively owned: %s", async (_, stored) => {
  const files = await downloads(stored);
  const content = await files.get("model/weights.bin");
  expect(content).toEqual(CONTENT);
  expect(await files.owns(content)).toBe(stored);
});
