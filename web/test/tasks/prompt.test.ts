import { describe, expect, test } from "vitest";
import tokenizer from "../../../conformance/tokenizer/tokenizer.json?raw";
import { WebbuildError } from "../../src/api/errors.js";
import type { PhraseDetection } from "../../src/api/types.js";
import type { GroundingTask, Manifest } from "../../src/manifest/manifest.js";
import type { Geometry } from "../../src/preprocess/letterbox.js";
import { decodeGrounding } from "../../src/tasks/grounding/decode-grounding.js";
import { normalizeCaption, promptOptions } from "../../src/tasks/grounding/options.js";
import { promptFeeds, tokenizePrompt } from "../../src/tasks/grounding/prompt.js";
import { read } from "../../src/tokenizer.js";
import { expectFound } from "../support/compare-detections.js";
import { casesOf } from "../support/conformance.js";

const reader = read(tokenizer);

interface PromptCase {
  task: GroundingTask;
  inputs: Manifest["inputs"];
  prompt: string | string[];
  want: {
    error: string | null;
    says: string[];
    caption: string;
    ids: number[];
    phrases: string[];
    feeds: Record<string, { type: string; dims: number[]; data: number[] }>;
  };
}

test.each(casesOf<PromptCase>("prompt"))("%s", (_, { task, inputs, prompt, want }) => {
  const run = (): { caption: string; prompt: ReturnType<typeof tokenizePrompt> } => {
    const caption = normalizeCaption(prompt);
    return { caption, prompt: tokenizePrompt(caption, reader, task) };
  };
  if (want.error !== null) {
    expect(run).toThrow(WebbuildError);
    try {
      run();
    } catch (error) {
      const { code, message, fix } = error as WebbuildError;
      expect(code).toBe(want.error);
      for (const text of want.says) expect(`${message} ${fix}`).toContain(text);
    }
    return;
  }
  const found = run();
  expect([found.caption, found.prompt.ids, found.prompt.phrases]).toEqual([
    want.caption,
    want.ids,
    want.phrases,
  ]);
  const feeds = promptFeeds(inputs, task, found.prompt);
  expect(Object.keys(feeds).sort()).toEqual(Object.keys(want.feeds).sort());
  for (const [name, { type, dims, data }] of Object.entries(want.feeds)) {
    expect([feeds[name]?.type, feeds[name]?.dims]).toEqual([type, dims]);
    expect(Array.from(feeds[name]?.data ?? [], Number)).toEqual(data);
  }
});

interface GroundingCase {
  task: GroundingTask;
  letterbox: Geometry;
  input: { width: number; height: number };
  prompt: string;
  confidence: number;
  textThreshold: number;
  logits: (number | string)[][];
  boxes: number[][];
  want: { detections: PhraseDetection[]; phrases: string[] };
  tolerance: number;
}

test.each(casesOf<GroundingCase>("grounding"))("%s", (_, given) => {
  const { task, letterbox, input, confidence, textThreshold, want, tolerance } = given;
  const caption = normalizeCaption(given.prompt);
  const prompt = tokenizePrompt(caption, reader, task);
  const logits = Float32Array.from(given.logits.flat().map(Number));
  const boxes = Float32Array.from(given.boxes.flat());
  const queries = { logits, boxes, queries: task.queries, input };
  const asked = { caption, confidence, textThreshold };
  expect(prompt.phrases).toEqual(want.phrases);
  expectFound(
    decodeGrounding(letterbox, queries, { prompt, tokenizer: reader, options: asked }),
    want.detections,
    200 * tolerance,
  );
});

describe("options", () => {
  const words = casesOf<GroundingCase>("grounding")[0]?.[1].task as GroundingTask;

  test("the task's own thresholds are the defaults", () => {
    expect(promptOptions(words, { prompt: "Star" })).toEqual({
      caption: "star.",
      confidence: 0.35,
      textThreshold: 0.25,
    });
    expect(promptOptions(words, { prompt: ["star"], confidence: 0, textThreshold: 1 }).textThreshold).toBe(1);
  });

  test.each([
    [{}, "invalid-prompt", "no prompt"],
    [{ prompt: 7 }, "invalid-prompt", "got number"],
    [{ prompt: "star", confidence: 2 }, "invalid-option", "confidence"],
    [{ prompt: "star", textThreshold: Number.NaN }, "invalid-option", "textThreshold"],
  ])("%j", (options, code, says) => {
    const ask = (): unknown => promptOptions(words, options as { prompt: string });
    expect(ask).toThrow(expect.objectContaining({ code, message: expect.stringContaining(says) }));
  });
});
