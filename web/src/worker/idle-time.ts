// Background work: it starts when no call has come for a while. The next call aborts it.

/** Milliseconds without a call before the work starts. */
const IDLE_DELAY = 2000;
/** The timeout of requestIdleCallback(), in milliseconds: then the work starts even if the page is busy. */
const IDLE_CALLBACK_TIMEOUT = 2000;

/** Resolves to true when the work is done, to false if the rest is left for the next idle time. */
type Work = (signal: AbortSignal) => Promise<boolean>;

/** Does one piece of work, in the first idle time that is long enough. */
export class IdleTime {
  readonly #work: Work;
  readonly #onOver: () => void;
  #attempts: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #working: AbortController | null = null;
  #activeCalls = 0;

  /**
   * Work that a call aborted is started again, `attempts` times in total; work that failed is not. `onOver`
   * is called when it will not be started again.
   */
  constructor(work: Work, onOver: () => void = () => {}, attempts = 3) {
    this.#work = work;
    this.#onOver = onOver;
    this.#attempts = attempts;
  }

  get isOver(): boolean {
    return this.#attempts === 0;
  }

  /** Aborts the work: a call has started. */
  callStarted(): void {
    this.#activeCalls++;
    this.#stop();
  }

  /** Schedules the work if no other call is pending. */
  callEnded(): void {
    this.#activeCalls--;
    if (this.#activeCalls > 0 || this.isOver) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#whenIdle(() => void this.#start().catch(reportError)), IDLE_DELAY);
  }

  /** Ends the work for good. */
  end(): void {
    this.#setAttempts(0);
    this.#stop();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#working?.abort();
    this.#working = null;
  }

  #setAttempts(attempts: number): void {
    if (this.isOver) return;
    this.#attempts = attempts;
    if (this.isOver) this.#onOver();
  }

  #whenIdle(start: () => void): void {
    const waiting = new AbortController();
    this.#working = waiting;
    const go = (): void => {
      if (!waiting.signal.aborted) start();
    };
    if (typeof requestIdleCallback === "function")
      requestIdleCallback(go, { timeout: IDLE_CALLBACK_TIMEOUT });
    else go();
  }

  async #start(): Promise<void> {
    // Timers of a hidden page are throttled, so times measured there are useless.
    if (this.isOver || globalThis.document?.visibilityState === "hidden") return;
    const attempt = new AbortController();
    const { signal } = attempt;
    this.#working = attempt;
    try {
      const isDone = await this.#work(signal);
      if (signal.aborted) this.#setAttempts(this.#attempts - 1);
      else if (isDone) this.#setAttempts(0);
    } catch (error) {
      this.#setAttempts(signal.aborted ? this.#attempts - 1 : 0);
      if (!signal.aborted) throw error;
    }
  }
}
