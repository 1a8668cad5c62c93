// Which of the other vectors each one is nearest to.

import { dotProduct } from "../../src/tasks/unit-vector.js";

interface NearestVector {
  /** Its place among the vectors. */
  at: number;
  cosine: number;
}

/** Of unit vectors; undefined for one that is alone. Of equal ones the first counts. */
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
