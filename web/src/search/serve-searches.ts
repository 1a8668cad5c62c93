// The worker's half of a search: it holds copies of indices, and answers in order.

import { BestOf } from "./best-of.js";
import { offerRows } from "./nearest.js";

/** The name of such a worker, by which the script of all workers knows what it is for. */
export const SEARCH_WORKER = "webbuild-search";

/** What the page says: a part of an index of `length` numbers, that nobody wants it any more, or a query, a unit vector. */
export type SearchRequest =
  | { index: number; length: number; offset: number; part: Float32Array }
  | { index: number; dropped: true }
  | { index: number; query: Float64Array; best: number };

/** What a query found, the best first; null of any other request. */
export type SearchAnswer = { place: number; score: number }[] | null;

/** What a worker is to what it serves. */
interface Scope {
  addEventListener(type: "message", listener: (event: MessageEvent<SearchRequest>) => void): void;
  postMessage(answer: SearchAnswer): void;
}

export function serveSearches(scope: Scope): void {
  const indices = new Map<number, Float32Array>();
  scope.addEventListener("message", ({ data }) => scope.postMessage(answer(indices, data)));
}

function answer(indices: Map<number, Float32Array>, request: SearchRequest): SearchAnswer {
  if ("dropped" in request) {
    indices.delete(request.index);
    return null;
  }
  if ("part" in request) {
    const vectors = indices.get(request.index) ?? new Float32Array(request.length);
    indices.set(request.index, vectors);
    vectors.set(request.part, request.offset);
    return null;
  }
  const vectors = indices.get(request.index) ?? new Float32Array();
  const best = new BestOf(request.best);
  offerRows(best, vectors, request.query, 0, vectors.length / request.query.length);
  return best.sorted();
}
