// Logits to probabilities.

/** Returns the probability of a logit by itself. */
export function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

/** Returns the probabilities of logits of which one is true; all NaN if one is NaN. */
export function softmax(logits: ArrayLike<number>): number[] {
  const values = Array.from(logits);
  const largest = values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const powers = values.map((value) => Math.exp(value - largest));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}
