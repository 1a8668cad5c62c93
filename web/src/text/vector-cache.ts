// Caches the vectors of the latest texts: the same labels are used for every picture.

import type { TextVector } from "../api/types.js";

/** The maximum number of cached vectors. */
const KEPT = 2_000;

export class VectorCache {
  readonly #kept: number;
  readonly #vectors = new Map<string, TextVector>();

  constructor(kept = KEPT) {
    this.#kept = kept;
  }

  /**
   * Returns the vector of each text. `embed` yields those of texts that are not cached, in their order. Calls
   * may overlap, so each holds its own vectors: another one may drop them from the cache before it ends.
   */
  async vectorsOf(
    texts: readonly string[],
    embed: (unknown: readonly string[]) => AsyncIterable<TextVector>,
  ): Promise<Map<string, TextVector>> {
    const found = new Map<string, TextVector>();
    const unknown: string[] = [];
    for (const text of new Set(texts)) {
      const vector = this.#vectors.get(text);
      if (vector === undefined) unknown.push(text);
      else found.set(text, vector);
    }
    if (unknown.length === 0) return found;
    const left = unknown.values();
    for await (const vector of embed(unknown)) {
      const { value: text = "" } = left.next();
      found.set(text, vector);
      this.#vectors.set(text, vector);
    }
    for (const old of [...this.#vectors.keys()].slice(0, -this.#kept)) this.#vectors.delete(old);
    return found;
  }
}
