// Checks the texts for a text encoder, and puts labels into templates.

import { WebbuildError } from "../api/errors.js";

/** Throws "invalid-prompt" for a value that is not a string, or is blank. */
export function checkTexts(texts: readonly string[], caller: string): void {
  if (!Array.isArray(texts))
    throw invalid(`${caller}: wanted a text or a list of texts, got ${typeof texts}`);
  if (texts.length === 0) throw invalid(`${caller}: no text was given`);
  for (const text of texts) {
    if (typeof text !== "string") throw invalid(`${caller}: wanted a text, got ${typeof text}`);
    if (text.trim() === "") throw invalid(`${caller}: the text is empty`);
  }
}

/** Like checkTexts(), and also throws "invalid-prompt" for a duplicate label. */
export function checkLabels(labels: readonly string[]): void {
  checkTexts(labels, "classify()");
  const twice = labels.find((label, at) => labels.indexOf(label) < at);
  if (twice !== undefined) throw invalid(`classify(): the label ${JSON.stringify(twice)} is there twice`);
}

/**
 * Returns the texts to embed for a label, one for each template. Throws "invalid-option" for a template
 * without `{}`.
 */
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
