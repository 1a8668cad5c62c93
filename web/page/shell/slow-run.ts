// Shows the progress of a run that takes longer than a moment.

import type { PartProgress } from "../../src/index.js";
import { setStatus } from "./status.js";

/** Milliseconds after which a run counts as slow. */
const SLOW_AFTER = 250;

export class SlowRun {
  #timer = 0;
  #isSlow = false;

  /** Whether the current run is slow. */
  get isSlow(): boolean {
    return this.#isSlow;
  }

  start(onSlow: () => void): void {
    this.#timer = window.setTimeout(() => {
      this.#isSlow = true;
      onSlow();
    }, SLOW_AFTER);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#isSlow = false;
  }

  showProgress({ done, total }: PartProgress): void {
    if (!this.#isSlow || done === total) return;
    // A screen reader announces this, so update it only ten times.
    const step = Math.ceil(total / 10);
    const announced = Math.floor(done / step) * step;
    if (announced > 0) setStatus("running", `${announced} of ${total} done`);
  }
}
