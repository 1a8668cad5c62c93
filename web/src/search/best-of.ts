// The highest scores of many: a heap whose root is the lowest score that is kept.

export class BestOf {
  readonly #scores: Float64Array;
  readonly #places: Uint32Array;
  #count = 0;

  constructor(size: number) {
    this.#scores = new Float64Array(size);
    this.#places = new Uint32Array(size);
  }

  /** Of equal scores the one with the lower index is better. */
  offer(place: number, score: number): void {
    const full = this.#count === this.#scores.length;
    if (full && !this.#isWorse(0, score, place)) return;
    let at = full ? 0 : this.#count++;
    if (full) at = this.#siftDown(at, score, place);
    else at = this.#siftUp(at, score, place);
    this.#scores[at] = score;
    this.#places[at] = place;
  }

  /** Returns the indices and scores, best first. */
  sorted(): { place: number; score: number }[] {
    return Array.from({ length: this.#count }, (_, at) => ({
      place: this.#places[at] ?? 0,
      score: this.#scores[at] ?? 0,
    })).sort((one, other) => other.score - one.score || one.place - other.place);
  }

  #isWorse(at: number, score: number, place: number): boolean {
    const own = this.#scores[at] ?? 0;
    return own < score || (own === score && (this.#places[at] ?? 0) > place);
  }

  /** Sift up: moves better parents down, and returns the position of the new score. */
  #siftUp(from: number, score: number, place: number): number {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#isWorse(parent, score, place)) break;
      this.#move(parent, at);
      at = parent;
    }
    return at;
  }

  /** Sift down: moves worse children up, and returns the position of the new score. */
  #siftDown(from: number, score: number, place: number): number {
    let at = from;
    for (;;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      if (left >= this.#count) return at;
      const other = right < this.#count && this.#isBefore(right, left) ? right : left;
      if (!this.#isWorse(other, score, place)) return at;
      this.#move(other, at);
      at = other;
    }
  }

  #isBefore(one: number, other: number): boolean {
    return this.#isWorse(one, this.#scores[other] ?? 0, this.#places[other] ?? 0);
  }

  #move(from: number, to: number): void {
    this.#scores[to] = this.#scores[from] ?? 0;
    this.#places[to] = this.#places[from] ?? 0;
  }
}
