// Which of the other vectors each one is nearest to.

export interface NearestVector {
  /** Its place among the vectors. */
  at: number;
  cosine: number;
}

/** Of unit vectors; undefined for one that is alone. Of equal ones the first counts. */
export function nearestVectors(vectors: readonly Float32Array[]): (NearestVector | undefined)[] {
  const nearest: (NearestVector | undefined)[] = vectors.map(() => undefined);
  for (const [at, one] of vectors.entries()) {
    for (const [before, other] of vectors.slice(0, at).entries()) {
      const cosine = dot(one, other);
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

/** A plain loop: of 200 vectors there are 20,000 pairs. */
function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}
