// The text at the pointer: the value of a map at that point of the picture.

import { element } from "../util/elements.js";
import type { StagePoint } from "./stage.js";

export class HoverReadout {
  readonly #box = element("reading", HTMLElement);

  /** Shows the text at a point; null hides it. */
  show(point: StagePoint | null, words: string | null): void {
    this.#box.hidden = point === null || words === null;
    if (point === null || words === null) return;
    const width = this.#box.parentElement?.clientWidth ?? 0;
    this.#box.textContent = words;
    this.#box.style.setProperty("--across", String(point.left / width));
    this.#box.style.setProperty("--left", `${point.left}px`);
    this.#box.style.setProperty("--top", `${point.top}px`);
  }
}

/** Returns the index into a map [height, width] at a point, in row-major order; null outside. */
export function cellAt(
  { width, height }: { width: number; height: number },
  point: StagePoint | null,
): number | null {
  if (point === null) return null;
  const x = Math.floor(point.x);
  const y = Math.floor(point.y);
  return x >= 0 && y >= 0 && x < width && y < height ? y * width + x : null;
}
