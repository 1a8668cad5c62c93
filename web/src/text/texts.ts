// The texts that a text encoder is asked: checked, and labels put into templates.

import { WebbuildError } from "../api/errors.js";

/** Throws "invalid-prompt" for what is no text, or says nothing. */
export function checkTexts(texts: readonly string[], caller: string): void {
  if (!Array.isArray(texts)) throw invalid(`${caller}: wanted words or a list of them, got ${typeof texts}`);
  if (texts.length === 0) throw invalid(`${caller}: no words were given`);
  for (const text of texts) {
    if (typeof text !== "string") throw invalid(`${caller}: words are a text, got ${typeof text}`);
    if (text.trim() === "") throw invalid(`${caller}: the words are empty`);
  }
}

/** Throws "invalid-prompt" for a label that is there twice, too. */
export function checkLabels(labels: readonly string[]): void {
  checkTexts(labels, "classify()");
  const twice = labels.find((label, at) => labels.indexOf(label) < at);
  if (twice !== undefined) throw invalid(`classify(): the label ${JSON.stringify(twice)} is there twice`);
}

/** Returns what is embedded for words: a text for each template. Throws "invalid-option" for a template without a place. */
export function inTemplates(words: string, templates: readonly string[] = ["{}"]): string[] {
  if (!Array.isArray(templates) || templates.length === 0 || !templates.every(hasPlace)) {
    const fix = 'write for example templates: ["a photo of a {}"]';
    throw new WebbuildError("invalid-option", "templates: wanted texts with a {} for the words", fix);
  }
  return templates.map((template: string) => template.split("{}").join(words));
}

function hasPlace(template: unknown): boolean {
  return typeof template === "string" && template.includes("{}");
}

function invalid(what: string): WebbuildError {
  return new WebbuildError("invalid-prompt", what, 'give words such as "a photo of a cat", each once');
}
