// What the page and its workers hold: bytes of JavaScript and WebAssembly.

const SOON = 30_000;

/** Bytes after a collection of garbage; null where the browser does not tell soon, or has the function and refuses. */
export async function heap() {
  if (!performance.measureUserAgentSpecificMemory || !crossOriginIsolated) return null;
  const late = new Promise((resolve) => setTimeout(() => resolve(null), SOON));
  const told = await Promise.race([performance.measureUserAgentSpecificMemory().catch(() => null), late]);
  return told === null ? null : told.bytes;
}

/** The most bytes that were held while it watched. */
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

  /** @returns {number | null} the peak; null where a measurement is missing: there could have been more then. */
  stop() {
    this.#watching = false;
    return this.#most;
  }

  /** Measures one time after another: a worker answers between two of its tasks. */
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
