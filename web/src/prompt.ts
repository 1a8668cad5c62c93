// A prompt, the text that says what to look for, into what a model takes of it.

import type { RunOptions, TensorData, Tensors } from "./api.js";
import { WebbuildError } from "./errors.js";
import type { Manifest, PhrasesTask, PromptInput } from "./manifest.js";
import { typed } from "./typed.js";
import type { Wordpiece } from "./wordpiece.js";

/** What a run looks for, and which scores count. */
export interface Asked {
  caption: string;
  confidence: number;
  textThreshold: number;
}

export interface Prompt {
  /** The numbers of the tokens, [CLS] and [SEP] among them. */
  ids: readonly number[];
  /** The places of the separators, [CLS] and [SEP] among them. */
  ends: readonly number[];
  /** The text between one separator and the next. */
  phrases: string[];
}

/** The options that the task takes and that are no inputs of the graph. */
export function ownOptions({ task }: Manifest): readonly string[] {
  return task.kind === "phrases" ? ["confidence"] : [];
}

/** Null for a model that takes no prompt. Throws on options that it has not, or that are out of range. */
export function askedOf({ task }: Manifest, options: RunOptions): Asked | null {
  if (task.kind !== "phrases") {
    for (const option of ["prompt", "textThreshold"] as const) {
      if (options[option] === undefined) continue;
      throw new WebbuildError("wrong-option", `${option}: the model takes none`, `leave ${option} out`);
    }
    return null;
  }
  const { confidence = task.confidence, textThreshold = task.textThreshold, prompt } = options;
  checkShare("confidence", confidence);
  checkShare("textThreshold", textThreshold);
  return { caption: captionOf(prompt), confidence, textThreshold };
}

/** The one text of a prompt: in lower case, a full stop behind every phrase. */
export function captionOf(prompt: unknown): string {
  if (Array.isArray(prompt)) {
    const phrases = prompt.map((phrase) => String(phrase).toLowerCase().trim());
    if (phrases.length === 0 || phrases.some((phrase) => phrase === "" || phrase.includes("."))) {
      throw wrong("a list of phrases has none, or one that is empty or has a full stop");
    }
    return `${phrases.join(". ")}.`;
  }
  if (prompt === undefined) throw wrong("no prompt was given");
  if (typeof prompt !== "string")
    throw wrong(`a prompt is a text or a list of phrases, got ${typeof prompt}`);
  const text = prompt.toLowerCase().trim();
  if (/^[ .?]*$/.test(text)) throw wrong("the prompt is empty");
  return text.endsWith(".") ? text : `${text}.`;
}

/** Tokenises a caption. Throws where it has more tokens than the model takes. */
export function readPrompt(caption: string, reader: Wordpiece, { tokens, pieces }: PhrasesTask): Prompt {
  const ids = reader.encode(caption);
  if (ids.length > tokens) {
    throw wrong(`the prompt has ${ids.length} tokens, and the model takes ${tokens}`);
  }
  const special = new Set(["[CLS]", "[SEP]", ".", "?"].map((piece) => pieces[piece]));
  const ends = [...ids.keys()].filter((place) => special.has(ids[place]));
  const phrases = pairs(ends)
    .filter(([before, end]) => end < ids.length - 1 || end - before > 1)
    .map(([before, end]) => reader.decode(ids.slice(before + 1, end)));
  return { ids, ends, phrases };
}

/** Returns a tensor for every input that wants something of the prompt, padded to its length. */
export function promptFeeds(inputs: Manifest["inputs"], task: PhrasesTask, prompt: Prompt): Tensors {
  const wanting = inputs.filter((input) => input.kind === "prompt");
  return Object.fromEntries(wanting.map((input) => [input.name, tensor(input, task, prompt)]));
}

function tensor(input: PromptInput, { pieces }: PhrasesTask, prompt: Prompt): TensorData {
  const length = input.shape.at(-1) ?? 0;
  if (input.role === "sight") return typed(input, sight(prompt, length));
  const { ids } = prompt;
  const rows: Record<typeof input.role, readonly number[]> = {
    ids,
    attention: ids.map(() => 1),
    types: [],
    positions: positions(prompt),
  };
  const values = new Array<number>(length).fill(input.role === "ids" ? (pieces["[PAD]"] ?? 0) : 0);
  for (const [place, value] of rows[input.role].entries()) values[place] = value;
  return typed(input, values);
}

/** Where in its phrase every token is. */
function positions(prompt: Prompt): number[] {
  const found = new Array<number>(prompt.ids.length).fill(0);
  for (const [before, end] of blocks(prompt)) {
    for (let place = before + 1; place <= end; place += 1) found[place] = place - before - 1;
  }
  return found;
}

/** Which token sees which, row by row: every token itself, and those of one phrase one another. */
function sight(prompt: Prompt, length: number): number[] {
  const mask = new Array<number>(length * length).fill(0);
  for (let place = 0; place < length; place += 1) mask[place * length + place] = 1;
  for (const [before, end] of blocks(prompt)) {
    for (let row = before + 1; row <= end; row += 1) {
      mask.fill(1, row * length + before + 1, row * length + end + 1);
    }
  }
  return mask;
}

/** A phrase's separators, that before it and its own; the first and the last token are nobody's. */
function blocks({ ids, ends }: Prompt): [number, number][] {
  return pairs([0, ...ends.filter((end) => end > 0)]).filter(([, end]) => end !== ids.length - 1);
}

function pairs(places: readonly number[]): [number, number][] {
  return places.slice(1).map((end, index) => [places[index] ?? 0, end]);
}

/** Written so that NaN fails. */
function checkShare(option: string, value: unknown): void {
  if (typeof value === "number" && value >= 0 && value <= 1) return;
  const fix = `give a number from 0 to 1, or leave ${option} out for the default`;
  throw new WebbuildError("wrong-option", `${option}: wanted 0 to 1, got ${value}`, fix);
}

function wrong(what: string): WebbuildError {
  const fix = 'give phrases with full stops between them: { prompt: "red circle . blue square ." }';
  return new WebbuildError("wrong-prompt", what, fix);
}
