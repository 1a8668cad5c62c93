// Unit vectors: embeddings divided by their length, so that a dot product is a cosine similarity.

/** Returns a copy divided by its length; zeros stay zeros. */
export function unitVector(vector: ArrayLike<number>): Float32Array<ArrayBuffer> {
  const length = Math.sqrt(dotProduct(vector, vector)) || 1;
  return Float32Array.from(vector, (value) => value / length);
}

/** Returns the dot product, for unit vectors the cosine. A plain loop: there may be thousands of them. */
export function dotProduct(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}
