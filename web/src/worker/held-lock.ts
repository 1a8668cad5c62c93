// A Web Lock that a worker holds as long as it lives. The page waits for the lock to learn that the browser
// ended the worker: there is no event for it.

export class HeldLock {
  /** Releases the lock. */
  readonly release: () => void;
  readonly #released: Promise<void>;

  constructor() {
    let release = (): void => {};
    this.#released = new Promise((resolve) => {
      release = resolve;
    });
    this.release = release;
  }

  /** Resolves to true when the lock is held, to false in a browser without Web Locks. */
  hold(name: string): Promise<boolean> {
    return new Promise((resolve) => {
      const take = (): Promise<void> => {
        resolve(true);
        return this.#released;
      };
      const { locks } = navigator as Partial<Pick<Navigator, "locks">>;
      if (locks === undefined) resolve(false);
      else locks.request(name, take).catch(() => resolve(false));
    });
  }
}

/** Returns a unique name for a lock. */
export function lockName(): string {
  return `webbuild-worker-${performance.now()}-${Math.random()}`;
}

/** Calls `ended` when the worker that holds the lock releases it or is ended by the browser. */
export function whenReleased(name: string, signal: AbortSignal, ended: () => unknown): void {
  // If the lock is released right after the signal, Chromium 156 may still grant it: 2 of 1,000 times.
  const granted = (): unknown => signal.aborted || ended();
  navigator.locks.request(name, { signal }, granted).catch(() => {});
}
