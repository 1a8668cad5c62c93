// Memory of the page and its workers: bytes of JavaScript and WebAssembly.

const TIMEOUT_MS = 30_000;

/** Bytes after a garbage collection; null if the browser does not report them in time, or refuses. */
export async function heap() {
  if (!performance.measureUserAgentSpecificMemory || !crossOriginIsolated) return null;
  const timeout = new Promise((resolve) => setTimeout(() => resolve(null), TIMEOUT_MS));
  const measured = await Promise.race([performance.measureUserAgentSpecificMemory().catch(() => null), timeout]);
  return measured === null ? null : measured.bytes;
}

/** The peak of repeated memory measurements. */
export class MemoryPeak {
  #measure;
  #watching = false;
  /** @type {number | null} */
  #most = null;

  /** @param {() => Promise<number | null>} measure */
  constructor(measure) {
    this.#measure = measure;
  }

  watch() {
    this.#watching = true;
    this.#most = null;
    void this.#repeat();
  }

  /** @returns {number | null} the peak; null if a measurement is missing, because the peak may have been then. */
  stop() {
    this.#watching = false;
    return this.#most;
  }

  /** Measures repeatedly, one at a time: a worker only answers between two tasks. */
  async #repeat() {
    while (this.#watching) {
      const bytes = await this.#measure().catch(() => null);
      if (bytes === null) {
        this.#most = null;
        return;
      }
      this.#most = Math.max(this.#most ?? 0, bytes);
    }
  }
}
