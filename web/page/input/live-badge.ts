// The badge on the stage that says that the camera is on, and how many frames a second are done.

import { element } from "../util/elements.js";
import { FrameRate } from "./frame-rate.js";

export class LiveBadge {
  readonly #badge = element("live", HTMLElement);
  readonly #text = element("live-rate", HTMLElement);
  readonly #rate = new FrameRate();

  start(): void {
    this.#rate.start();
    this.#text.textContent = "Live";
    this.#badge.hidden = false;
  }

  /** Counts a frame; true when numbers on the page are due to be written again. */
  tick(): boolean {
    const rate = this.#rate.tick(performance.now());
    if (rate !== null) this.#text.textContent = `${rate < 10 ? rate.toFixed(1) : rate.toFixed(0)} fps`;
    return rate !== null;
  }

  stop(): void {
    this.#badge.hidden = true;
  }
}
