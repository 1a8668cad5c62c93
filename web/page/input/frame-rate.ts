// Smoothed frames per second, updated a few times a second.

export class FrameRate {
  #last = 0;
  #written = 0;
  #interval = 0;

  start(): void {
    this.#last = 0;
    this.#written = 0;
    this.#interval = 0;
  }

  /** Counts a frame. Returns the rate, or null if it is too early or the last update was less than 250 ms ago. */
  tick(now: number): number | null {
    const interval = now - this.#last;
    const first = this.#last === 0;
    this.#last = now;
    if (first) return null;
    this.#interval = this.#interval === 0 ? interval : this.#interval * 0.9 + interval * 0.1;
    if (now - this.#written < 250) return null;
    this.#written = now;
    return 1000 / this.#interval;
  }
}
