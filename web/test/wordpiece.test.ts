import { expect, test } from "vitest";
import type { Downloads } from "../src/download.js";
import type { Manifest } from "../src/manifest.js";
import { openWordpiece } from "../src/wordpiece.js";

const manifest = { task: { kind: "phrases", tokenizer: "tokenizer.json" } } as Manifest;

test("a bundler says where the library of the tokenizer lies", async () => {
  const library = "export const read = (text) => ({ encode: () => [text.length], decode: () => '' });";
  const address = URL.createObjectURL(new Blob([library], { type: "text/javascript" }));
  const given = (path: string): string | undefined => (path === "runtime/tokenizer.js" ? address : undefined);
  const get = async (path: string): Promise<Uint8Array> => new TextEncoder().encode(path);
  const reader = await openWordpiece(manifest, { get, given } as unknown as Downloads);
  expect(reader?.encode("anything")).toEqual(["tokenizer.json".length]);
});
