// Work that one at a time does, of all tabs and workers of the origin.

/** What to do when it is one's turn, and what is waited for, after its answer, before the next has its turn. */
interface Turn<T> {
  work: () => Promise<T>;
  after: () => Promise<unknown>;
}

/**
 * Does the work when nobody else is at work under the same name. After `limit` milliseconds of waiting, and where the
 * signal fires, it is done all the same: what is waited for only saves work.
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
    const mine = (): Promise<void> => {
      begun ??= begin();
      return begun;
    };
    // Without the lock: the wait is over, or the browser has none to give.
    navigator.locks.request(name, { signal: waiting.signal }, mine).catch(() => mine().catch(() => {}));
  });
}
