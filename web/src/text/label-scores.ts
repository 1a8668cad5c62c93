// Converts the cosines of labels and a picture into probabilities.

import { WebbuildError } from "../api/errors.js";
import type { LabelScore } from "../api/texts.js";
import type { TextInput } from "../manifest/manifest.js";
import { sigmoid, softmax } from "../tasks/activations.js";
import { dotProduct, unitVector } from "../tasks/unit-vector.js";

/** Returns the labels, best first. Throws "invalid-option" if the model's scale is unknown. */
export function labelScores(
  labels: readonly string[],
  vectors: readonly Float32Array[],
  picture: Float32Array,
  { logitScale, logitBias }: TextInput,
): LabelScore[] {
  if (logitScale === null) {
    const fix = "pack it with --logit-scale and --logit-bias, or rank the cosines of embedText()";
    throw new WebbuildError("invalid-option", "classify(): the model has no logit_scale", fix);
  }
  const cosines = vectors.map((vector) => dotProduct(vector, picture));
  const logits = cosines.map((cosine) => logitScale * cosine + (logitBias ?? 0));
  const scores = logitBias === null ? softmax(logits) : logits.map(sigmoid);
  return labels
    .map((label, index) => ({ label, index, score: scores[index] ?? 0, cosine: cosines[index] ?? 0 }))
    .sort((one, other) => other.cosine - one.cosine || one.index - other.index);
}

/** Returns the mean of unit vectors, normalized to length 1. */
export function meanVector(vectors: readonly Float32Array[]): Float32Array<ArrayBuffer> {
  const sums = new Float64Array(vectors[0]?.length ?? 0);
  for (const vector of vectors)
    for (const [at, value] of vector.entries()) sums[at] = (sums[at] ?? 0) + value;
  return unitVector(sums);
}
