import { describe, expect, test } from "vitest";
import tokenizer from "../../conformance/tokenizer/tokenizer.json?raw";
import type { PhraseDetection } from "../src/api.js";
import { WebbuildError } from "../src/errors.js";
import type { Geometry } from "../src/letterbox.js";
import type { Manifest, PhrasesTask } from "../src/manifest.js";
import { askedOf, captionOf, promptFeeds, readPrompt } from "../src/prompt.js";
import { decodePhrases } from "../src/tasks/phrases.js";
import { read } from "../src/tokenizer.js";
import { room } from "./conformance.js";
import { expectFound } from "./detections.js";

const reader = read(tokenizer);

interface PromptCase {
  task: PhrasesTask;
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

test.each(room<PromptCase>("prompt"))("%s", (_, { task, inputs, prompt, want }) => {
  const run = (): { caption: string; prompt: ReturnType<typeof readPrompt> } => {
    const caption = captionOf(prompt);
    return { caption, prompt: readPrompt(caption, reader, task) };
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

interface PhrasesCase {
  task: PhrasesTask;
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

test.each(room<PhrasesCase>("phrases"))("%s", (_, given) => {
  const { task, letterbox, input, confidence, textThreshold, want, tolerance } = given;
  const caption = captionOf(given.prompt);
  const prompt = readPrompt(caption, reader, task);
  const logits = Float32Array.from(given.logits.flat().map(Number));
  const boxes = Float32Array.from(given.boxes.flat());
  const queries = { logits, boxes, queries: task.queries, input };
  const asked = { caption, confidence, textThreshold };
  expect(prompt.phrases).toEqual(want.phrases);
  expectFound(decodePhrases(letterbox, queries, { prompt, reader, asked }), want.detections, 200 * tolerance);
});

describe("options", () => {
  const task = room<PhrasesCase>("phrases")[0]?.[1].task;
  const words = { task } as Manifest;

  test("the task's own thresholds are taken where none are given", () => {
    expect(askedOf(words, { prompt: "Star" })).toEqual({
      caption: "star.",
      confidence: 0.35,
      textThreshold: 0.25,
    });
    expect(askedOf(words, { prompt: ["star"], confidence: 0, textThreshold: 1 })?.textThreshold).toBe(1);
  });

  test.each([
    [{}, "wrong-prompt", "no prompt"],
    [{ prompt: 7 }, "wrong-prompt", "got number"],
    [{ prompt: "star", confidence: 2 }, "wrong-option", "confidence"],
    [{ prompt: "star", textThreshold: Number.NaN }, "wrong-option", "textThreshold"],
  ])("%j", (options, code, says) => {
    const ask = (): unknown => askedOf(words, options as { prompt: string });
    expect(ask).toThrow(expect.objectContaining({ code, message: expect.stringContaining(says) }));
  });

  test("a model without a prompt takes none", () => {
    const other = { task: { kind: "tensor" } } as Manifest;
    expect(askedOf(other, { confidence: 0.5 })).toBeNull();
    expect(() => askedOf(other, { prompt: "star" })).toThrow(
      expect.objectContaining({ code: "wrong-option" }),
    );
  });
});
