// Runs work that only one of the origin's tabs and workers may do at a time, under a Web Lock.

interface Turn<T> {
  work: () => Promise<T>;
  /** Runs at the end of the turn: the result is returned before it, the lock released after it. */
  after: () => Promise<unknown>;
}

/**
 * Does the work when the lock of this name is free. After `limit` milliseconds, or when the signal fires,
 * does it without the lock: waiting only saves work.
 */
export function oneAtATime<T>(
  name: string,
  { work, after }: Turn<T>,
  limit: number,
  signal: AbortSignal,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const waiting = new AbortController();
    const stop = (): void => waiting.abort();
    const timer = setTimeout(stop, limit);
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    const begin = async (): Promise<void> => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      const done = work();
      done.then(resolve, reject);
      await done;
      await after();
    };
    let begun: Promise<void> | null = null;
    const beginOnce = (): Promise<void> => {
      begun ??= begin();
      return begun;
    };
    // Without the lock if the wait is over or the browser rejects it.
    navigator.locks
      .request(name, { signal: waiting.signal }, beginOnce)
      .catch(() => beginOnce().catch(() => {}));
  });
}
