import { expect, test } from "vitest";
import type { Manifest } from "../../src/manifest/manifest.js";
import { labelScores, meanVector } from "../../src/text/label-scores.js";
import { textFeeds } from "../../src/text/text-feeds.js";
import { checkLabels, checkTexts, inTemplates } from "../../src/text/texts.js";
import { casesOf } from "../support/conformance.js";

const spec = { tokenizer: "tokenizer.json", length: 4, padding: 9, texts: [] };
const picture = Float32Array.of(0.6, 0.8);
const vectors = [Float32Array.of(1, 0), Float32Array.of(0, 1)];

test("a softmax over all labels makes probabilities, the best first", () => {
  const found = labelScores(["x", "y"], vectors, picture, { ...spec, logitScale: 10, logitBias: null });
  expect(found.map(({ label, index }) => [label, index])).toEqual([
    ["y", 1],
    ["x", 0],
  ]);
  expect(found[0]?.score).toBeCloseTo(1 / (1 + Math.exp(-2)), 6);
  expect(found[0]?.cosine).toBeCloseTo(0.8, 6);
});

test("with a bias each label is scored independently", () => {
  const found = labelScores(["x", "y"], vectors, picture, { ...spec, logitScale: 10, logitBias: -7 });
  expect(found.map(({ score }) => score)).toEqual([1 / (1 + Math.exp(-1)), 1 / (1 + Math.exp(1))].map(near));
});

test("an unknown scale is refused", () => {
  const unknown = { ...spec, logitScale: null, logitBias: null };
  expect(() => labelScores(["x", "y"], vectors, picture, unknown)).toThrow(/logit_scale/);
});

test("the mean of templates has length 1", () => {
  expect(Array.from(meanVector(vectors))).toEqual([Math.SQRT1_2, Math.SQRT1_2].map(near));
});

test("words are inserted into every template, including text with replacement patterns", () => {
  expect(inTemplates("$& cat", ["a {}", "{} or {}"])).toEqual(["a $& cat", "$& cat or $& cat"]);
  expect(inTemplates("cat")).toEqual(["cat"]);
  for (const wrong of [[], ["a photo"], "a {}"])
    expect(() => inTemplates("cat", wrong as string[])).toThrow(/\{\}/);
});

test("no words, empty words and duplicate labels are refused", () => {
  for (const wrong of [[], [" "], [3], "cat"])
    expect(() => checkTexts(wrong as string[], "embedText()")).toThrow(/embedText/);
  expect(() => checkLabels(["a", "b", "a"])).toThrow(/"a" is there twice/);
});

interface Fed {
  inputs: Manifest["inputs"];
  textInput: { length: number; padding: number };
  ids: number[];
  want: Record<string, number[]> | null;
}

test.each(casesOf<Fed>("text-feeds"))("tokens become tensors: %s", (_, { inputs, textInput, ids, want }) => {
  const feed = () => textFeeds(inputs, textInput, "a text", ids);
  if (want === null) {
    expect(feed).toThrow(expect.objectContaining({ code: "invalid-prompt" }));
    return;
  }
  const fed = Object.entries(feed()).map(([name, { data }]) => [name, Array.from(data, Number)]);
  expect(Object.fromEntries(fed)).toEqual(want);
});

function near(value: number): unknown {
  return expect.closeTo(value, 6);
}
