// The page's side of a search: one worker for all indices. Each index is copied to it once, in parts.

import { type Ask, WorkerClient } from "../worker/worker-client.js";
import { SEARCH_WORKER, type SearchAnswer, type SearchRequest } from "./searches.js";

/** The numbers that are copied at a time: 2 MB, in a millisecond. */
const PART = 1 << 19;

export class SearchWorker {
  static #shared: SearchWorker | null = null;
  readonly #client: WorkerClient<SearchRequest, SearchAnswer>;
  readonly #given = new WeakMap<Float32Array, { index: number; dimension: number }>();
  readonly #left = new FinalizationRegistry<number>((index) => {
    void this.#client.use((ask) => ask({ index, dropped: true }));
  });
  #count = 0;

  constructor(start?: () => Worker) {
    this.#client = new WorkerClient(SEARCH_WORKER, start);
  }

  /** The page's shared worker. */
  static get shared(): SearchWorker {
    SearchWorker.#shared ??= new SearchWorker();
    return SearchWorker.#shared;
  }

  /** Returns the indices of the `best` vectors for a unit vector; null if there is no worker. */
  search(vectors: Float32Array, query: Float64Array, best: number): Promise<SearchAnswer> {
    return this.#client.use(async (ask) => {
      const given = this.#given.get(vectors);
      const isGiven = given?.dimension === query.length;
      const index = isGiven ? given.index : await this.#give(ask, vectors, query.length);
      return ask({ index, query, best });
    });
  }

  async #give(
    ask: Ask<SearchRequest, SearchAnswer>,
    vectors: Float32Array,
    dimension: number,
  ): Promise<number> {
    const [index, count] = [this.#count++, vectors.length / dimension];
    const step = Math.max(1, Math.floor(PART / dimension));
    for (let first = 0; first < count; first += step) {
      const rows = vectors.slice(first * dimension, (first + step) * dimension);
      await ask({ index, count, dimension, first, rows }, [rows.buffer]);
    }
    this.#given.set(vectors, { index, dimension });
    this.#left.register(vectors, index);
    return index;
  }
}
