// The prompt and the thresholds of a run.

import { WebbuildError } from "../../api/errors.js";
import type { RunOptions } from "../../api/types.js";
import type { GroundingTask } from "../../manifest/manifest.js";
import type { TaskOptions } from "../task-options.js";
import { checkUnitRange } from "../unit-range.js";

/** The text to look for, and the score thresholds. */
export interface PromptOptions {
  caption: string;
  confidence: number;
  textThreshold: number;
}

export const options: TaskOptions<GroundingTask> = {
  kind: "grounding",
  names: ["prompt", "textThreshold"],
  alsoTakes: ["confidence"],
  refusal: "the model takes none",
  check: ({ task }, given) => promptOptions(task, given),
};

/** Throws for options that are out of range. */
export function promptOptions(task: GroundingTask, options: RunOptions): PromptOptions {
  const { confidence = task.confidence, textThreshold = task.textThreshold, prompt } = options;
  checkUnitRange("confidence", confidence);
  checkUnitRange("textThreshold", textThreshold);
  return { caption: normalizeCaption(prompt), confidence, textThreshold };
}

/** Returns a prompt as one text: in lower case, with a full stop after every phrase. */
export function normalizeCaption(prompt: unknown): string {
  if (Array.isArray(prompt)) {
    if (prompt.some((phrase) => typeof phrase !== "string"))
      throw promptError("a phrase of the list is not a string");
    const phrases = prompt.map((phrase: string) => phrase.toLowerCase().trim());
    if (phrases.length === 0 || phrases.some((phrase) => phrase === "" || phrase.includes("."))) {
      throw promptError("a list of phrases has none, or one that is empty or has a full stop");
    }
    return `${phrases.join(". ")}.`;
  }
  if (prompt === undefined) throw promptError("no prompt was given");
  if (typeof prompt !== "string")
    throw promptError(`a prompt is a text or a list of phrases, got ${typeof prompt}`);
  const text = prompt.toLowerCase().trim();
  if (/^[ .?]*$/.test(text)) throw promptError("the prompt is empty");
  return text.endsWith(".") ? text : `${text}.`;
}

export function promptError(what: string): WebbuildError {
  const fix = 'give phrases with full stops between them: { prompt: "red circle . blue square ." }';
  return new WebbuildError("invalid-prompt", what, fix);
}
