// The pictures of an index that are most like a query: exact, in slices that leave the page responsive.

import { WebbuildError } from "../api/errors.js";
import { BestOf } from "./best-of.js";
import type { PictureIndex } from "./picture-index.js";

/** A picture of an index, and how alike it is. */
export interface SimilarPicture {
  name: string;
  /** Its place in the index. */
  index: number;
  /** Of its vector and the query: 1 for the same direction, 0 for a right angle. */
  cosine: number;
}

/** Milliseconds of work between two rests, in which the page draws and hears its visitor. */
const SLICE = 8;
/** Products between two looks at the clock. */
const BLOCK = 1 << 15;

/**
 * The `k` pictures whose vectors have the largest cosine with `query`, the best first; of equals the one of the lower index.
 * Every vector is compared. Throws "invalid-option" for a query of another length, and for a `k` that is no number of pictures.
 */
export async function similar(
  index: PictureIndex,
  query: ArrayLike<number>,
  k = 10,
): Promise<SimilarPicture[]> {
  const { vectors, names, dimension } = index;
  const unit = checked(index, query, k);
  const best = new BestOf(Math.min(k, names.length));
  const rows = Math.max(1, Math.floor(BLOCK / dimension));
  let began = performance.now();
  for (let first = 0; first < names.length; first += rows) {
    const end = Math.min(first + rows, names.length);
    for (let place = first; place < end; place += 1) {
      const cosine = dotAt(vectors, place * dimension, unit);
      best.offer(place, Number.isNaN(cosine) ? Number.NEGATIVE_INFINITY : cosine);
    }
    if (performance.now() - began < SLICE) continue;
    await new Promise((resolve) => setTimeout(resolve));
    began = performance.now();
  }
  return best.sorted().map(({ place, score }) => ({ name: names[place] ?? "", index: place, cosine: score }));
}

/** Four sums side by side, which take a quarter of the time of one: each waits for its own last product. */
function dotAt(vectors: Float32Array, offset: number, query: Float64Array): number {
  let [one, two, three, four] = [0, 0, 0, 0];
  let at = 0;
  for (; at + 3 < query.length; at += 4) {
    one += (vectors[offset + at] ?? 0) * (query[at] ?? 0);
    two += (vectors[offset + at + 1] ?? 0) * (query[at + 1] ?? 0);
    three += (vectors[offset + at + 2] ?? 0) * (query[at + 2] ?? 0);
    four += (vectors[offset + at + 3] ?? 0) * (query[at + 3] ?? 0);
  }
  for (; at < query.length; at += 1) one += (vectors[offset + at] ?? 0) * (query[at] ?? 0);
  return one + two + (three + four);
}

/** The query divided by its length. */
function checked(
  { vectors, names, dimension }: PictureIndex,
  query: ArrayLike<number>,
  k: number,
): Float64Array {
  if (vectors.length !== names.length * dimension)
    throw unfit(
      `the index has ${vectors.length} numbers, not ${dimension} for each of ${names.length} names`,
    );
  if (query.length !== dimension)
    throw unfit(`the query has ${query.length} numbers, the vectors of the index ${dimension}`);
  if (!Number.isInteger(k) || k < 1) throw unfit(`k is ${k}: it is how many pictures are wanted`);
  const unit = Float64Array.from(query);
  const length = Math.sqrt(unit.reduce((sum, value) => sum + value * value, 0));
  if (!(length > 0 && length < Number.POSITIVE_INFINITY))
    throw unfit("the query holds zeros alone, or numbers that are not finite");
  return unit.map((value) => value / length);
}

function unfit(message: string): WebbuildError {
  const fix = "give an index of loadIndex(), and an embedding of the model that it was made with";
  return new WebbuildError("invalid-option", `similar(): ${message}`, fix);
}
