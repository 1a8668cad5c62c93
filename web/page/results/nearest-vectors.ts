// Finds the nearest other vector of each vector.

import { dotProduct } from "../../src/tasks/unit-vector.js";

interface NearestVector {
  /** Its index. */
  at: number;
  cosine: number;
}

/** Takes unit vectors. Undefined for a single vector; of equally near ones the first is taken. */
export function nearestVectors(vectors: readonly Float32Array[]): (NearestVector | undefined)[] {
  const nearest: (NearestVector | undefined)[] = vectors.map(() => undefined);
  for (const [at, one] of vectors.entries()) {
    for (const [before, other] of vectors.slice(0, at).entries()) {
      const cosine = dotProduct(one, other);
      offer(nearest, before, { at, cosine });
      offer(nearest, at, { at: before, cosine });
    }
  }
  return nearest;
}

function offer(nearest: (NearestVector | undefined)[], at: number, found: NearestVector): void {
  const known = nearest[at];
  if (known === undefined || found.cosine > known.cosine) nearest[at] = found;
}
