// Runs one thing after another. A failure reaches its own caller and nobody else's.

export class Queue {
  #tail: Promise<unknown> = Promise.resolve();

  add<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(work);
    this.#tail = result.catch(() => {});
    return result;
  }
}
