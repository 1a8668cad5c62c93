// The scale of a depth map: colours with the values at their ends, and the value under the pointer.

import { shareOf } from "../src/coloring/paint.js";
import { gradient } from "../src/coloring/viridis.js";
import type { DepthResult } from "../src/index.js";
import { inWords } from "./depth-scale.js";
import { element } from "./elements.js";

export class DepthLegend {
  readonly #root = element("legend", HTMLElement);
  readonly #bar = element("legend-bar", HTMLElement);
  readonly #mark = element("legend-mark", HTMLElement);
  readonly #range = element("depth-range", HTMLElement);

  show({ min, max, near, far, unit }: DepthResult): void {
    this.#range.textContent = `${inWords(unit, min)} to ${inWords(unit, max)}`;
    this.#bar.style.background = gradient;
    element("legend-far", HTMLElement).textContent = inWords(unit, far);
    element("legend-middle", HTMLElement).textContent = inWords(unit, (far + near) / 2);
    element("legend-near", HTMLElement).textContent = inWords(unit, near);
    this.#root.hidden = false;
  }

  showNone(why: string): void {
    this.#range.textContent = why;
    this.#root.hidden = true;
  }

  /** Marks a value on a result's scale; null takes the mark away. */
  mark(result: DepthResult | null, value: number): void {
    const share = result === null ? Number.NaN : shareOf(result, value);
    this.#mark.hidden = !Number.isFinite(share);
    if (!this.#mark.hidden) this.#mark.style.setProperty("--share", String(Math.min(1, Math.max(0, share))));
  }
}
