// A preview of the mask for a click at the pointer: one run at a time, and none while the mouse moves.

import type { Point } from "../../src/index.js";

/** Milliseconds that the mouse has to rest. */
const rest = 90;

export class HoverPreview<T> {
  readonly #ask: (place: Point) => Promise<T | null>;
  readonly #show: (found: T | null) => void;
  #place: Point | null = null;
  #timer = 0;
  #asking = false;

  constructor(ask: (place: Point) => Promise<T | null>, show: (found: T | null) => void) {
    this.#ask = ask;
    this.#show = show;
  }

  /** Sets the mouse position; null removes the preview. */
  move(place: Point | null): void {
    clearTimeout(this.#timer);
    this.#place = place;
    if (place === null) this.#show(null);
    else this.#timer = window.setTimeout(() => void this.#answer(place), rest);
  }

  async #answer(place: Point): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    const found = await this.#ask(place).finally(() => {
      this.#asking = false;
    });
    if (this.#place === null) return;
    this.#show(found);
    if (this.#place !== place) this.move(this.#place);
  }
}
