// Damaged tokenizers, and prompts of any characters.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { GroundingTask } from "../../src/manifest/manifest.js";
import { readTokenizer } from "../../src/tasks/grounding/load-tokenizer.js";
import { tokenizePrompt } from "../../src/tasks/grounding/prompt.js";
import { read } from "../../src/tokenizer.js";
import { bundle } from "../support/bundle.js";
import { damaged, damagedJson, expectTypedEnds } from "../support/fuzz.js";

const specialTokens = { "[CLS]": 101, "[SEP]": 102, "[PAD]": 0, ".": 4 };
const task = { kind: "grounding", maxTokens: 64, specialTokens } as unknown as GroundingTask;

test("a tokenizer tokenizes or is refused", async () => {
  const text = await (await fetch(bundle("model/tokenizer.json"))).text();
  const { model, ...settings } = JSON.parse(text);
  const vocab = Object.fromEntries(Object.entries(model.vocab).slice(0, 60));
  const texts = fc.oneof(
    {
      weight: 3,
      arbitrary: damagedJson({ ...settings, model: { ...model, vocab } }, { ...settings, model }),
    },
    {
      weight: 1,
      arbitrary: damaged(new TextEncoder().encode(text)).map((bytes) => new TextDecoder().decode(bytes)),
    },
  );
  const captions = fc.oneof(
    fc.constantFrom("red circle. dog.", "", "x".repeat(5000)),
    fc.string({ unit: "binary" }),
  );
  await expectTypedEnds("tokenizers", [60, 3000], fc.tuple(texts, captions), ([content, caption]) =>
    tokenizePrompt(caption, readTokenizer({ read }, content, "model/tokenizer.json"), task),
  );
});

test("a vocabulary without ids is no tokenizer", () => {
  const tokenizer = { encode: () => ["1"] as unknown as number[], decode: () => "" };
  const opened = readTokenizer({ read: () => tokenizer }, "{}", "model/tokenizer.json");
  const wanted = { code: "corrupt-file", message: expect.stringContaining("model/tokenizer.json") };
  expect(() => opened.encode("a")).toThrow(expect.objectContaining(wanted));
});
