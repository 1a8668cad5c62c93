import { expect, test } from "vitest";
import { TextTokenizer } from "../../src/text/text-tokenizer.js";

const LETTERS = [..."ab!"];

/** A tokenizer.json with a regular expression that takes twice as long for each additional letter. */
const tokenizer = {
  version: "1.0",
  truncation: null,
  padding: null,
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: {
    type: "Split",
    pattern: { Regex: "(a+)+b" },
    behavior: "Isolated",
    invert: false,
  },
  post_processor: null,
  decoder: null,
  model: {
    type: "BPE",
    dropout: null,
    unk_token: null,
    vocab: Object.fromEntries(LETTERS.map((letter, at) => [letter, at])),
    merges: [],
  },
};

test("a tokenizer with endless backtracking is stopped, and accepts other texts", async () => {
  const fetch = async () => ({
    script: new URL("../../src/tokenizer.ts", import.meta.url).href,
    content: new TextEncoder().encode(JSON.stringify(tokenizer)),
  });
  const reader = new TextTokenizer("tokenizer.json", fetch, 2_000);
  expect(await reader.encode(["aab!"])).toEqual([[0, 0, 1, 2]]);
  await expect(reader.encode([`${"a".repeat(60)}!`])).rejects.toMatchObject({ code: "tokenizer-timeout" });
  expect(await reader.encode(["ab"])).toEqual([[0, 1]]);
  reader.end();
});
