// A lock of the browser that a worker holds for as long as it lives: who waits for it hears that the worker was ended.

export class HeldLock {
  /** Gives the lock back. */
  readonly release: () => void;
  readonly #released: Promise<void>;

  constructor() {
    let release = (): void => {};
    this.#released = new Promise((resolve) => {
      release = resolve;
    });
    this.release = release;
  }

  /** Resolves when the lock is held; to false where the browser has none to give. */
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

/** Returns a name for a lock that nobody else has. */
export function lockName(): string {
  return `webbuild-worker-${performance.now()}-${Math.random()}`;
}

/** Calls `ended` when a worker gives back its lock, as it does when the browser ends it: of that nothing else tells. */
export function whenReleased(name: string, signal: AbortSignal, ended: () => void): void {
  navigator.locks.request(name, { signal }, ended).catch(() => {});
}
