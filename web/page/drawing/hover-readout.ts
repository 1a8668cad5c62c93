// The words beside the pointer: what is at that place of the picture.

import { element } from "../util/elements.js";
import type { StagePoint } from "./stage.js";

export class HoverReadout {
  readonly #box = element("reading", HTMLElement);

  /** Shows the words at a place; nothing where there are none. */
  show(place: StagePoint | null, words: string | null): void {
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
  place: StagePoint | null,
): number | null {
  if (place === null) return null;
  const x = Math.floor(place.x);
  const y = Math.floor(place.y);
  return x >= 0 && y >= 0 && x < width && y < height ? y * width + x : null;
}
