import { expect, test } from "vitest";
import type { GroundingTask } from "../../src/manifest/manifest.js";
import type { Downloads } from "../../src/storage/download.js";
import { loadTokenizer } from "../../src/tasks/grounding/load-tokenizer.js";

const task = { kind: "grounding", tokenizer: "tokenizer.json" } as GroundingTask;

test("a bundler says where the library of the tokenizer lies", async () => {
  const library = "export const read = (text) => ({ encode: () => [text.length], decode: () => '' });";
  const address = URL.createObjectURL(new Blob([library], { type: "text/javascript" }));
  const given = (path: string): string | undefined => (path === "runtime/tokenizer.js" ? address : undefined);
  const get = async (path: string): Promise<Uint8Array> => new TextEncoder().encode(path);
  const reader = await loadTokenizer(task, { get, addressOf: given } as unknown as Downloads);
  expect(reader.encode("anything")).toEqual(["tokenizer.json".length]);
});
