// The scale of a depth map: colours with the values at their ends, and the value under the pointer.

import type { DepthResult } from "../src/index.js";
import { inWords, type Scale, shareOf } from "./depth-scale.js";
import { element } from "./elements.js";
import { gradient } from "./viridis.js";

export class DepthLegend {
  readonly #root = element("legend", HTMLElement);
  readonly #bar = element("legend-bar", HTMLElement);
  readonly #mark = element("legend-mark", HTMLElement);
  readonly #range = element("depth-range", HTMLElement);

  show({ min, max }: DepthResult, scale: Scale): void {
    this.#range.textContent = `${inWords(scale, min)} to ${inWords(scale, max)}`;
    this.#bar.style.background = gradient;
    element("legend-far", HTMLElement).textContent = inWords(scale, scale.dark);
    element("legend-middle", HTMLElement).textContent = inWords(scale, (scale.dark + scale.bright) / 2);
    element("legend-near", HTMLElement).textContent = inWords(scale, scale.bright);
    this.#root.hidden = false;
  }

  showNone(why: string): void {
    this.#range.textContent = why;
    this.#root.hidden = true;
  }

  /** Marks a value on the scale; null takes the mark away. */
  mark(scale: Scale | null, value: number): void {
    const share = scale === null ? Number.NaN : shareOf(scale, value);
    this.#mark.hidden = !Number.isFinite(share);
    if (!this.#mark.hidden) this.#mark.style.setProperty("--share", String(Math.min(1, Math.max(0, share))));
  }
}
