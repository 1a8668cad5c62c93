// The public calls that take text.

import { internalError, WebbuildError } from "../api/errors.js";
import { checkTextOptions } from "../api/options.js";
import type { LabelScore, Result, TextOptions, TextVector } from "../api/types.js";
import { labelScores } from "./label-scores.js";
import type { TextEncoder } from "./text-encoder.js";
import { checkLabels, checkTexts } from "./texts.js";

/** Throws "invalid-option" for a bundle without a text encoder. */
export function requireText(encoder: TextEncoder | null, caller: string): TextEncoder {
  if (encoder !== null) return encoder;
  const fix = "pack the image encoder with its text encoder: webbuild pack MODEL --text FILE";
  throw new WebbuildError("invalid-option", `${caller}: the bundle has no text encoder`, fix);
}

export async function embedWords(
  encoder: TextEncoder,
  words: string | readonly string[],
  options: TextOptions,
): Promise<TextVector | TextVector[]> {
  const texts = typeof words === "string" ? [words] : words;
  checkTexts(texts, "embedText()");
  checkTextOptions(options, "embedText()");
  const vectors = await encoder.embed(texts, options);
  return typeof words === "string" ? (vectors[0] ?? new Float32Array()) : vectors;
}

/**
 * Classifies a picture. `run` runs the image encoder on it: first, as a video plays on while the text encoder
 * loads.
 */
export async function classifyPicture(
  encoder: TextEncoder,
  run: () => Promise<Result>,
  labels: readonly string[],
  options: TextOptions,
): Promise<LabelScore[]> {
  checkLabels(labels);
  checkTextOptions(options, "classify()");
  const own = [...labels];
  const [result, vectors] = await Promise.all([run(), encoder.embed(own, options)]);
  if (!("embedding" in result)) throw internalError("a text encoder with a model that has no embedding");
  return labelScores(own, vectors, result.embedding, encoder.spec);
}
