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

/** Lets answers out in the order in which they were asked for. A failure goes out at once. */
export class OrderedResults {
  #previous: Promise<unknown> = Promise.resolve();

  add<T>(answer: Promise<T>): Promise<T> {
    const previous = this.#previous;
    const turn = answer.then((value) => previous.then(() => value));
    this.#previous = Promise.allSettled([previous, turn]).then(noop);
    return turn;
  }

  /** Resolves when all that were asked for so far have ended, well or not. */
  async settled(): Promise<void> {
    await this.#previous;
  }
}

/** What comes next waits for an answer, and must not keep it: each would hold the one before it. */
function noop(): void {}
