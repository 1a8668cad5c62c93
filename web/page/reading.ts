// The words beside the pointer: what is at that place of the picture.

import { element } from "./elements.js";
import type { Place } from "./stage.js";

export class Reading {
  readonly #box = element("reading", HTMLElement);

  /** Shows the words at a place; nothing where there are none. */
  show(place: Place | null, words: string | null): void {
    this.#box.hidden = place === null || words === null;
    if (place === null || words === null) return;
    this.#box.textContent = words;
    this.#box.style.setProperty("--left", `${place.left}px`);
    this.#box.style.setProperty("--top", `${place.top}px`);
  }
}

/** The index of the cell at a place of a map [height, width], null outside of it. */
export function cellAt(
  { width, height }: { width: number; height: number },
  place: Place | null,
): number | null {
  if (place === null) return null;
  const x = Math.floor(place.x);
  const y = Math.floor(place.y);
  return x >= 0 && y >= 0 && x < width && y < height ? y * width + x : null;
}
