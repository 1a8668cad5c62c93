// Work for when nobody waits: it begins some time after the last call, and the next one stops it.

/** Milliseconds without a call before anything begins. */
const QUIET = 2000;
/** Milliseconds that the page may be busy with other things before the work begins all the same. */
const PATIENCE = 2000;

/** Returns whether that was all there is to do; what is left is for the next time that nobody waits. */
type Work = (signal: AbortSignal) => Promise<boolean>;

/** Does some work once, at the first time that is long enough for it. */
export class IdleTime {
  readonly #work: Work;
  readonly #whenOver: () => void;
  #attempts: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #working: AbortController | null = null;
  #underWay = 0;

  /**
   * `work` is begun again after a call has stopped it, so many times in all; one that failed is not. `whenOver` is called
   * when it will not be begun any more.
   */
  constructor(work: Work, whenOver: () => void = () => {}, attempts = 3) {
    this.#work = work;
    this.#whenOver = whenOver;
    this.#attempts = attempts;
  }

  get isOver(): boolean {
    return this.#attempts === 0;
  }

  /** A call has begun. */
  began(): void {
    this.#underWay++;
    this.#stop();
  }

  /** A call has ended. */
  ended(): void {
    this.#underWay--;
    if (this.#underWay > 0 || this.isOver) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#whenIdle(() => void this.#start().catch(reportError)), QUIET);
  }

  /** There is nothing to wait for any more. */
  end(): void {
    this.#allow(0);
    this.#stop();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#working?.abort();
    this.#working = null;
  }

  #allow(attempts: number): void {
    if (this.isOver) return;
    this.#attempts = attempts;
    if (this.isOver) this.#whenOver();
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
    if (this.isOver || globalThis.document?.visibilityState === "hidden") return;
    const attempt = new AbortController();
    const { signal } = attempt;
    this.#working = attempt;
    try {
      const isDone = await this.#work(signal);
      if (signal.aborted) this.#allow(this.#attempts - 1);
      else if (isDone) this.#allow(0);
    } catch (error) {
      this.#allow(signal.aborted ? this.#attempts - 1 : 0);
      if (!signal.aborted) throw error;
    }
  }
}
