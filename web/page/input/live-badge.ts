// The badge on the stage that shows that the camera is on, and the frames per second.

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

  /** Counts a frame. Returns true when the numbers on the page should be updated. */
  tick(): boolean {
    const rate = this.#rate.tick(performance.now());
    if (rate !== null) this.#text.textContent = `${rate < 10 ? rate.toFixed(1) : rate.toFixed(0)} fps`;
    return rate !== null;
  }

  stop(): void {
    this.#badge.hidden = true;
  }
}
