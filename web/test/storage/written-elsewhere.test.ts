import { describe, expect, test } from "vitest";
import type { File } from "../../src/manifest/manifest.js";
import { FileCache } from "../../src/storage/file-cache.js";
import type { FileStore } from "../../src/storage/storage-backends.js";

const BASE = "https://a.b/manifest.json";

const file = (digit: string): File => ({
  path: `${digit}.bin`,
  size: 1,
  sha256: digit.repeat(64),
  encoding: "identity",
  uncompressedSize: 1,
  parts: [],
  quantization: "none",
});

/** Opens a cache next to another bundle's unreadable list; returns the written files and the warnings. */
async function keepBeside(error: DOMException): Promise<{ written: string[]; warned: string[] }> {
  const written: string[] = [];
  const warned: string[] = [];
  const store: FileStore = {
    read: async (name) => {
      if (name === "bundle-other") throw error;
      return null;
    },
    write: async (name) => void written.push(name),
    remove: async () => {},
    names: async () => ["bundle-other"],
  };
  const options = {
    open: async () => store,
    limit: () => 1_000,
    warn: ({ code }: { code: string }) => void warned.push(code),
  };
  const cache = await FileCache.open(BASE, [file("1"), file("2")], options);
  cache.put(file("1"), new Uint8Array(1));
  cache.put(file("2"), new Uint8Array(1));
  await cache.flushWrites();
  return { written: written.filter((name) => !name.startsWith("bundle-")), warned };
}

describe("if a list cannot be read", () => {
  test.each(["NotReadableError", "NoModificationAllowedError"])(
    "because another tab writes it, %s, files are cached all the same",
    async (name) => {
      const { written, warned } = await keepBeside(new DOMException("changed while it was read", name));
      expect(warned).toEqual([]);
      expect(written).toEqual([file("1").sha256, file("2").sha256]);
    },
  );

  test("for another reason, nothing more is cached, with a warning", async () => {
    const { written, warned } = await keepBeside(new DOMException("full", "QuotaExceededError"));
    expect(warned).toEqual(["not-kept"]);
    expect(written).toEqual([]);
  });
});
