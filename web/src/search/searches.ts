// The worker's side of a search: it has copies of the indices.

import { VectorRows } from "../wasm/vector-rows.js";
import { BestOf } from "./best-of.js";

/** The name of a search worker, by which the script of all workers knows its purpose. */
export const SEARCH_WORKER = "webbuild-search";

/** A request: rows of an index of `count`, from `first` on; an index to drop; or a query, a unit vector. */
export type SearchRequest =
  | { index: number; count: number; dimension: number; first: number; rows: Float32Array }
  | { index: number; dropped: true }
  | { index: number; query: Float64Array; best: number };

/** The results of a query, best first; null for other requests. */
export type SearchAnswer = { place: number; score: number }[] | null;

/** Returns the function that handles requests. */
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
