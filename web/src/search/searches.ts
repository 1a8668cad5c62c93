// The worker's half of a search: it holds copies of indices.

import { VectorRows } from "../wasm/vector-rows.js";
import { BestOf } from "./best-of.js";

/** The name of such a worker, by which the script of all workers knows what it is for. */
export const SEARCH_WORKER = "webbuild-search";

/** What the page says: rows of an index of `count` from the `first` on, that nobody wants it any more, or a query, a unit vector. */
export type SearchRequest =
  | { index: number; count: number; dimension: number; first: number; rows: Float32Array }
  | { index: number; dropped: true }
  | { index: number; query: Float64Array; best: number };

/** What a query found, the best first; null of any other request. */
export type SearchAnswer = { place: number; score: number }[] | null;

/** Returns what answers requests. */
export function searches(): (request: SearchRequest) => SearchAnswer {
  const indices = new Map<number, VectorRows>();
  return (request) => answer(indices, request);
}

function answer(indices: Map<number, VectorRows>, request: SearchRequest): SearchAnswer {
  if ("dropped" in request) {
    indices.delete(request.index);
    return null;
  }
  const known = indices.get(request.index);
  if ("rows" in request) {
    const rows = known ?? new VectorRows(request.count, request.dimension);
    indices.set(request.index, rows);
    rows.set(request.first, request.rows);
    return null;
  }
  const best = new BestOf(request.best);
  for (const [place, cosine] of known?.products(request.query).entries() ?? [])
    best.offer(place, Number.isNaN(cosine) ? Number.NEGATIVE_INFINITY : cosine);
  return best.sorted();
}
