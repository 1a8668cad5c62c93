// A run that takes long: known after a moment, and how far it is.

import type { PartProgress } from "../../src/index.js";
import { setStatus } from "./status.js";

/** Most runs are over before anyone could read a word. */
const MOMENT = 250;

export class SlowRun {
  #timer = 0;
  #isSlow = false;

  /** Whether the run under way takes long. */
  get isSlow(): boolean {
    return this.#isSlow;
  }

  start(onSlow: () => void): void {
    this.#timer = window.setTimeout(() => {
      this.#isSlow = true;
      onSlow();
    }, MOMENT);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#isSlow = false;
  }

  showProgress({ done, total }: PartProgress): void {
    if (!this.#isSlow || done === total) return;
    // A screen reader hears it too: ten times are enough.
    const step = Math.ceil(total / 10);
    const said = Math.floor(done / step) * step;
    if (said > 0) setStatus("running", `Looked at ${said} of ${total}`);
  }
}
