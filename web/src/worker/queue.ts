// Queues: tasks run one after another, and results are returned in order.

/** Runs one task after another. A failure only rejects its own caller. */
export class Queue {
  #tail: Promise<unknown> = Promise.resolve();

  add<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(work);
    this.#tail = result.then(noop, noop);
    return result;
  }
}

/** Resolves promises in the order in which they were added. A rejection is passed on at once. */
export class OrderedResults {
  #previous: Promise<unknown> = Promise.resolve();

  add<T>(answer: Promise<T>): Promise<T> {
    const previous = this.#previous;
    const turn = answer.then((value) => previous.then(() => value));
    this.#previous = Promise.allSettled([previous, turn]).then(noop);
    return turn;
  }

  /** Resolves when all promises added so far have settled. */
  async settled(): Promise<void> {
    await this.#previous;
  }
}

/** Drops the value: otherwise the tail would keep every result in memory until the next one. */
function noop(): void {}
