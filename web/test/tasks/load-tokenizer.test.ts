import { expect, test } from "vitest";
import type { File, GroundingTask } from "../../src/manifest/manifest.js";
import { Downloads } from "../../src/storage/download.js";
import { FileCache } from "../../src/storage/file-cache.js";
import { sha256 } from "../../src/storage/sha256.js";
import { loadTokenizer } from "../../src/tasks/grounding/load-tokenizer.js";

const task = { kind: "grounding", tokenizer: "tokenizer.json" } as GroundingTask;
const LIBRARY = "export const read = (text) => ({ encode: () => [text.length], decode: () => '' });";

/** A bundle with a tokenizer of two bytes and its library, at addresses that a bundler assigned. */
async function downloads(library: string, path = "runtime/tokenizer.js"): Promise<Downloads> {
  const contents: Record<string, string> = { "tokenizer.json": "{}", [path]: LIBRARY };
  const files: File[] = [];
  const addresses: Record<string, string> = {};
  for (const [name, text] of Object.entries(contents)) {
    const bytes = new TextEncoder().encode(text);
    const size = bytes.length;
    const hash = await sha256(bytes);
    const stored = { encoding: "identity", quantization: "none" } as const;
    files.push({ path: name, size, sha256: hash, uncompressedSize: size, parts: [], ...stored });
    const served = name === path ? library : text;
    addresses[name] = URL.createObjectURL(new Blob([served], { type: "text/javascript" }));
  }
  return new Downloads(
    { base: location.href, addresses },
    files,
    FileCache.none(),
    new AbortController().signal,
  );
}

test.each(["runtime/tokenizer.js", "../runtime/tokenizer.js"])(
  "the tokenizer library is the bundle's: %s",
  async (path) => {
    const reader = await loadTokenizer(task, await downloads(LIBRARY, path));
    expect(reader.encode("anything")).toEqual(["{}".length]);
  },
);

test("another library is not imported", async () => {
  const other = `globalThis.imported = true; ${LIBRARY}`;
  const wanted = { code: "corrupt-file", message: expect.stringContaining("runtime/tokenizer.js") };
  await expect(loadTokenizer(task, await downloads(other))).rejects.toMatchObject(wanted);
  expect("imported" in globalThis).toBe(false);
});
