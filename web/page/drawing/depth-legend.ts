// The scale of a depth map: colours with the values at their ends, and the value under the pointer.

import type { DepthResult } from "../../src/index.js";
import { colormapPosition } from "../../src/tasks/depth/colormap/cpu-colormap.js";
import { gradient } from "../../src/tasks/depth/colormap/viridis.js";
import { formatDepth } from "../util/depth-format.js";
import { element } from "../util/elements.js";

export class DepthLegend {
  readonly #root = element("legend", HTMLElement);
  readonly #bar = element("legend-bar", HTMLElement);
  readonly #mark = element("legend-mark", HTMLElement);
  readonly #range = element("depth-range", HTMLElement);

  show({ min, max, near, far, unit }: DepthResult): void {
    this.#range.textContent = `${formatDepth(unit, min)} to ${formatDepth(unit, max)}`;
    this.#bar.style.background = gradient;
    element("legend-far", HTMLElement).textContent = formatDepth(unit, far);
    element("legend-middle", HTMLElement).textContent = formatDepth(unit, (far + near) / 2);
    element("legend-near", HTMLElement).textContent = formatDepth(unit, near);
    this.#root.hidden = false;
  }

  showNone(reason: string): void {
    this.#range.textContent = reason;
    this.#root.hidden = true;
  }

  /** Marks a value on a result's scale; null takes the mark away. */
  mark(result: DepthResult | null, value: number): void {
    const share = result === null ? Number.NaN : colormapPosition(result, value);
    this.#mark.hidden = !Number.isFinite(share);
    if (!this.#mark.hidden) this.#mark.style.setProperty("--share", String(Math.min(1, Math.max(0, share))));
  }
}
