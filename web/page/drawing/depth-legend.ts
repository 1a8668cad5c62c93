// The scale of a map: colours with the values at both ends, and the value at the pointer.

import type { DepthResult } from "../../src/index.js";
import { colormapPosition } from "../../src/tasks/depth/colormap/cpu-colormap.js";
import { gradient } from "../../src/tasks/depth/colormap/viridis.js";
import { formatDepth } from "../util/depth-format.js";
import { element } from "../util/elements.js";
import type { PictureLegend } from "./picture-legend.js";

/** The values at the bright and the dark end. */
type Scale = Pick<DepthResult, "near" | "far" | "unit">;

export class DepthLegend {
  readonly #root = element("legend", HTMLElement);
  readonly #bar = element("legend-bar", HTMLElement);
  readonly #mark = element("legend-mark", HTMLElement);

  show({ near, far, unit }: Scale): void {
    this.#bar.style.background = gradient;
    element("legend-far", HTMLElement).textContent = formatDepth(unit, far);
    element("legend-middle", HTMLElement).textContent = formatDepth(unit, (far + near) / 2);
    element("legend-near", HTMLElement).textContent = formatDepth(unit, near);
    this.#root.hidden = false;
  }

  /** Returns the legend for a saved picture; null while hidden. */
  toPictureLegend(): PictureLegend | null {
    if (this.#root.hidden) return null;
    const ends = ["legend-far", "legend-middle", "legend-near"].map((id) => {
      const value = element(id, HTMLElement);
      return [value.textContent, value.parentElement?.querySelector("small")?.textContent];
    });
    return {
      scale: ends.map((words, index) => (index === 1 ? words.slice(0, 1) : words).filter(Boolean).join(" ")),
    };
  }

  hide(): void {
    this.#root.hidden = true;
  }

  /** Marks a value on a scale; null removes the mark. */
  mark(scale: Scale | null, value: number): void {
    const share = scale === null || Number.isNaN(value) ? Number.NaN : colormapPosition(scale, value);
    this.#mark.hidden = !Number.isFinite(share);
    if (!this.#mark.hidden) this.#mark.style.setProperty("--share", String(Math.min(1, Math.max(0, share))));
  }
}
