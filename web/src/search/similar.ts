// The pictures of an index that are most like a query: exact, in a worker, which leaves the page responsive.

import { WebbuildError } from "../api/errors.js";
import { BestOf } from "./best-of.js";
import { offerRows } from "./nearest.js";
import type { PictureIndex } from "./picture-index.js";
import { SearchWorker } from "./search-worker.js";

/** A picture of an index, and how alike it is. */
export interface SimilarPicture {
  name: string;
  /** Its place in the index. */
  index: number;
  /** Of its vector and the query: 1 for the same direction, 0 for a right angle. */
  cosine: number;
}

/** Products up to which a search is over before a worker has answered. */
const FEW = 1 << 20;
/** Milliseconds of work between two rests, in which the page draws and hears its visitor, where there is no worker. */
const SLICE = 8;
/** Products between two looks at the clock. */
const BLOCK = 1 << 15;

/**
 * The `k` pictures whose vectors have the largest cosine with `query`, the best first; of equals the one of the lower index.
 * Every vector is compared, those of a large index in a worker, which has a copy from the first search on: vectors that
 * change are a new array. Throws "invalid-option" for a query of another length, and for a `k` that is no number of pictures.
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
