// Decodes a model's outputs for the tokens of a prompt into objects in the source picture.

import type { PhraseDetection } from "../../api/types.js";
import type { Geometry } from "../../preprocess/letterbox.js";
import { sigmoid } from "../activations.js";
import { at, decodeBox } from "../detection-rows.js";
import type { WordPieceTokenizer } from "./load-tokenizer.js";
import type { PromptOptions } from "./options.js";
import type { Prompt } from "./prompt.js";

/** A prompt, its tokenizer, and the thresholds. */
export interface PromptContext {
  prompt: Prompt;
  tokenizer: WordPieceTokenizer;
  options: PromptOptions;
}

/** The elements of the two outputs in row-major order, and the size of the model's input. */
interface Queries {
  logits: Float32Array;
  boxes: Float32Array;
  queries: number;
  input: { width: number; height: number };
}

/** Decodes the queries, best first. GroundingTask describes a query's outputs. */
export function decodeGrounding(
  geometry: Geometry,
  found: Queries,
  context: PromptContext,
): PhraseDetection[] {
  const { logits, boxes, queries } = found;
  const width = logits.length / queries;
  return Array.from({ length: queries }, (_, query) => ({
    scores: Array.from(logits.subarray(query * width, (query + 1) * width), sigmoid),
    box: boxes.subarray(query * 4, (query + 1) * 4),
  }))
    .map(({ scores, box }) => ({ scores, box, token: largest(scores) }))
    .filter(({ scores, token }) => at(scores, token) > context.options.confidence)
    .sort((a, b) => at(b.scores, b.token) - at(a.scores, a.token))
    .map(({ scores, box, token }) => ({
      box: decodeBox(geometry, cornersOf(box, found.input)),
      score: at(scores, token),
      ...phraseOf(scores, token, context),
    }));
}

function phraseOf(
  scores: readonly number[],
  token: number,
  { prompt, tokenizer, options }: PromptContext,
): { label: string; classIndex: number } {
  const { ids, separators, phrases } = prompt;
  const last = Math.min(scores.length - 1, ids.length);
  const read = ids.filter(
    (_, place) => place > 0 && place < last && at(scores, place) > options.textThreshold,
  );
  const before = separators.filter((end) => end < token).length - 1;
  return {
    label: tokenizer.decode(read).replaceAll(".", ""),
    classIndex: Math.min(Math.max(before, 0), phrases.length - 1),
  };
}

function cornersOf(box: Float32Array, input: Queries["input"]): [number, number, number, number] {
  const [x, y, width, height] = [at(box, 0), at(box, 1), at(box, 2), at(box, 3)];
  return [
    (x - width / 2) * input.width,
    (y - height / 2) * input.height,
    (x + width / 2) * input.width,
    (y + height / 2) * input.height,
  ];
}

/** Returns the index of the largest score, the first of equals. */
function largest(scores: readonly number[]): number {
  return scores.reduce((best, score, index) => (score > at(scores, best) ? index : best), 0);
}
