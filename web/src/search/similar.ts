// Finds the pictures of an index that are most similar to a query: exact, in a worker.

import { WebbuildError } from "../api/errors.js";
import { BestOf } from "./best-of.js";
import { offerRows } from "./nearest.js";
import type { PictureIndex } from "./picture-index.js";
import { SearchWorker } from "./search-worker.js";

/** A picture of an index, and its similarity. */
export interface SimilarPicture {
  name: string;
  /** Its position in the index. */
  index: number;
  /** The cosine similarity of its vector and the query: 1 for the same direction, 0 for a right angle. */
  cosine: number;
}

/** Up to this many products a search on the page is faster than a worker. */
const FEW = 1 << 20;
/** Without a worker: the milliseconds of work between two pauses, in which the page handles events. */
const SLICE = 8;
/** The number of products between two checks of the clock. */
const BLOCK = 1 << 15;

/**
 * Returns the `k` pictures whose vectors have the largest cosine with `query`, best first; of equals the one
 * with the lower index first. Every vector is compared. Large indices are searched in a worker, which gets a
 * copy in the first search: to change vectors, pass a new array. Throws "invalid-option" for a query of
 * another length, and for an invalid `k`.
 */
export async function similar(
  index: PictureIndex,
  query: ArrayLike<number>,
  k = 10,
): Promise<SimilarPicture[]> {
  const { vectors, names } = index;
  const unit = checked(index, query, k);
  const best = Math.min(k, names.length);
  const inWorker = vectors.length > FEW ? await SearchWorker.shared.search(vectors, unit, best) : null;
  const found = inWorker ?? (await inSlices(vectors, unit, names.length, best));
  return found.map(({ place, score }) => ({ name: names[place] ?? "", index: place, cosine: score }));
}

async function inSlices(
  vectors: Float32Array,
  unit: Float64Array,
  count: number,
  most: number,
): Promise<{ place: number; score: number }[]> {
  const best = new BestOf(most);
  const rows = Math.max(1, Math.floor(BLOCK / unit.length));
  let began = performance.now();
  for (let first = 0; first < count; first += rows) {
    offerRows(best, vectors, unit, first, Math.min(first + rows, count));
    if (performance.now() - began < SLICE) continue;
    await new Promise((resolve) => setTimeout(resolve));
    began = performance.now();
  }
  return best.sorted();
}

/** Returns the query divided by its length. */
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
  if (!Number.isInteger(k) || k < 1) throw unfit(`k is ${k}, not a whole number from 1 on`);
  const unit = Float64Array.from(query);
  const length = Math.sqrt(unit.reduce((sum, value) => sum + value * value, 0));
  if (!(length > 0 && length < Number.POSITIVE_INFINITY))
    throw unfit("the query has only zeros, or numbers that are not finite");
  return unit.map((value) => value / length);
}

function unfit(message: string): WebbuildError {
  const fix = "give an index of loadIndex(), and an embedding of the model that it was made with";
  return new WebbuildError("invalid-option", `similar(): ${message}`, fix);
}
