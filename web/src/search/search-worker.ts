// The page's half of a search: one worker for all indices, each of which it is given once, in parts.

import { runtimeFile } from "../storage/runtime-file.js";
import { createWorker } from "../worker/create-worker.js";
import { Queue } from "../worker/queue.js";
import { LIMITS, withLimit } from "../worker/with-limit.js";
import { SEARCH_WORKER, type SearchAnswer, type SearchRequest } from "./serve-searches.js";

/** Numbers that are copied at a time: 2 MB, in a millisecond. */
const PART = 1 << 19;

export class SearchWorker {
  static #shared: SearchWorker | null = null;
  readonly #start: () => Worker;
  /** One request at a time: an answer is that of the last. */
  readonly #queue = new Queue();
  readonly #given = new WeakMap<Float32Array, { index: number; dimension: number }>();
  readonly #left = new FinalizationRegistry<number>((index) => {
    void this.#queue.add(() => this.#ask({ index, dropped: true })).catch(() => {});
  });
  #worker: Worker | null = null;
  #isBroken = false;
  #count = 0;

  constructor(start = (): Worker => createWorker(runtimeFile("worker.js"), SEARCH_WORKER)) {
    this.#start = start;
  }

  /** That of the page. */
  static get shared(): SearchWorker {
    SearchWorker.#shared ??= new SearchWorker();
    return SearchWorker.#shared;
  }

  /** Returns the `best` places for a unit vector, null where no worker can be had: a bundler has moved its script. */
  async search(vectors: Float32Array, query: Float64Array, best: number): Promise<SearchAnswer> {
    if (this.#isBroken) return null;
    try {
      return await this.#queue.add(async () => {
        const given = this.#given.get(vectors);
        const index =
          given?.dimension === query.length ? given.index : await this.#give(vectors, query.length);
        return this.#ask({ index, query, best });
      });
    } catch {
      this.#isBroken = true;
      this.#worker?.terminate();
      return null;
    }
  }

  async #give(vectors: Float32Array, dimension: number): Promise<number> {
    const [index, count] = [this.#count++, vectors.length / dimension];
    const step = Math.max(1, Math.floor(PART / dimension));
    for (let first = 0; first < count; first += step) {
      const rows = vectors.slice(first * dimension, (first + step) * dimension);
      await this.#ask({ index, count, dimension, first, rows }, [rows.buffer]);
    }
    this.#given.set(vectors, { index, dimension });
    this.#left.register(vectors, index);
    return index;
  }

  #ask(request: SearchRequest, moved: Transferable[] = []): Promise<SearchAnswer> {
    const isNew = this.#worker === null;
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const answered = new Promise<SearchAnswer>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<SearchAnswer>) => resolve(data);
      worker.onerror = reject;
    });
    worker.postMessage(request, moved);
    return isNew ? withLimit(answered, LIMITS.start, "the worker") : answered;
  }
}
