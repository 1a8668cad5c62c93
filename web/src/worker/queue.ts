// Queues: tasks run one after another, and results are returned in order.

/** Runs one thing after another. A failure reaches its own caller and nobody else's. */
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

/** Drops the value: a tail that kept it would hold every result in memory until the next one. */
function noop(): void {}
