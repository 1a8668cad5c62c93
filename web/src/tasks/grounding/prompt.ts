// Converts a prompt (the text to look for) into tokens, and into the tensors that a model takes.

import type { TensorData, Tensors } from "../../api/types.js";
import type { GroundingTask, Manifest, PromptInput } from "../../manifest/manifest.js";
import { toTensor } from "../../tensors/typed-arrays.js";
import type { WordPieceTokenizer } from "./load-tokenizer.js";
import { promptError } from "./options.js";

export interface Prompt {
  /** The token ids, including [CLS] and [SEP]. */
  ids: readonly number[];
  /** The positions of the separators, including [CLS] and [SEP]. */
  separators: readonly number[];
  /** The texts between the separators. */
  phrases: string[];
}

/** Tokenizes a caption. Throws if it has more tokens than the model takes. */
export function tokenizePrompt(
  caption: string,
  tokenizer: WordPieceTokenizer,
  { maxTokens, specialTokens }: GroundingTask,
): Prompt {
  const ids = tokenizer.encode(caption);
  if (ids.length > maxTokens) {
    throw promptError(`the prompt has ${ids.length} tokens, and the model takes ${maxTokens}`);
  }
  const special = new Set(["[CLS]", "[SEP]", ".", "?"].map((piece) => specialTokens[piece]));
  const separators = [...ids.keys()].filter((place) => special.has(ids[place]));
  const phrases = pairs(separators)
    .filter(([before, end]) => end < ids.length - 1 || end - before > 1)
    .map(([before, end]) => tokenizer.decode(ids.slice(before + 1, end)));
  return { ids, separators, phrases };
}

/** Returns a tensor for every prompt input, padded to its length. */
export function promptFeeds(inputs: Manifest["inputs"], task: GroundingTask, prompt: Prompt): Tensors {
  const promptInputs = inputs.filter((input) => input.kind === "prompt");
  return Object.fromEntries(promptInputs.map((input) => [input.name, tensor(input, task, prompt)]));
}

function tensor(input: PromptInput, { specialTokens }: GroundingTask, prompt: Prompt): TensorData {
  const length = input.shape.at(-1) ?? 0;
  if (input.role === "self_attention_mask") return toTensor(input, selfAttentionMask(prompt, length));
  const { ids } = prompt;
  const rows: Record<typeof input.role, readonly number[]> = {
    input_ids: ids,
    attention_mask: ids.map(() => 1),
    token_type_ids: [],
    position_ids: positionIds(prompt),
  };
  const values = new Array<number>(length).fill(
    input.role === "input_ids" ? (specialTokens["[PAD]"] ?? 0) : 0,
  );
  for (const [place, value] of rows[input.role].entries()) values[place] = value;
  return toTensor(input, values);
}

/** Returns the position of every token in its phrase. */
function positionIds(prompt: Prompt): number[] {
  const ids = new Array<number>(prompt.ids.length).fill(0);
  for (const [before, end] of phraseBlocks(prompt)) {
    for (let place = before + 1; place <= end; place += 1) ids[place] = place - before - 1;
  }
  return ids;
}

/** Returns the self-attention mask, row by row: a token attends to itself and to the tokens of its phrase. */
function selfAttentionMask(prompt: Prompt, length: number): number[] {
  const mask = new Array<number>(length * length).fill(0);
  for (let place = 0; place < length; place += 1) mask[place * length + place] = 1;
  for (const [before, end] of phraseBlocks(prompt)) {
    for (let row = before + 1; row <= end; row += 1) {
      mask.fill(1, row * length + before + 1, row * length + end + 1);
    }
  }
  return mask;
}

/** Returns each phrase's separators, before and after it. [CLS] and [SEP] at the ends belong to no phrase. */
function phraseBlocks({ ids, separators }: Prompt): [number, number][] {
  return pairs([0, ...separators.filter((end) => end > 0)]).filter(([, end]) => end !== ids.length - 1);
}

function pairs(places: readonly number[]): [number, number][] {
  return places.slice(1).map((end, index) => [places[index] ?? 0, end]);
}
