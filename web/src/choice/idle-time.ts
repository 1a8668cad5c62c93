// Work for when nobody waits: it begins some time after the last call, and the next one stops it.

/** Milliseconds without a call before anything begins. */
const QUIET = 2000;
/** Milliseconds that the page may be busy with other things before the work begins all the same. */
const PATIENCE = 2000;

/** Does some work once, at the first time that is long enough for it. */
export class IdleTime {
  readonly #work: (signal: AbortSignal) => Promise<void>;
  #attempts: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #working: AbortController | null = null;
  #underWay = 0;

  /** `work` is begun again after a call has stopped it, so many times in all; one that failed is not. */
  constructor(work: (signal: AbortSignal) => Promise<void>, attempts = 3) {
    this.#work = work;
    this.#attempts = attempts;
  }

  /** A call has begun. */
  began(): void {
    this.#underWay++;
    this.#stop();
  }

  /** A call has ended. */
  ended(): void {
    this.#underWay--;
    if (this.#underWay > 0 || this.#attempts === 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#whenIdle(() => void this.#start()), QUIET);
  }

  /** There is nothing to wait for any more. */
  end(): void {
    this.#attempts = 0;
    this.#stop();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#working?.abort();
    this.#working = null;
  }

  #whenIdle(start: () => void): void {
    const waiting = new AbortController();
    this.#working = waiting;
    const go = (): void => {
      if (!waiting.signal.aborted) start();
    };
    if (typeof requestIdleCallback === "function") requestIdleCallback(go, { timeout: PATIENCE });
    else go();
  }

  async #start(): Promise<void> {
    // The clock of a page that nobody sees is not to be relied on.
    if (globalThis.document?.visibilityState === "hidden") return;
    const attempt = new AbortController();
    this.#working = attempt;
    if (this.#attempts > 0) this.#attempts--;
    try {
      await this.#work(attempt.signal);
      if (!attempt.signal.aborted) this.#attempts = 0;
    } catch (error) {
      if (attempt.signal.aborted) return;
      this.#attempts = 0;
      throw error;
    }
  }
}
