// The classes of a map as regions in colours, and as rows of a list.

import { RegionBitmap } from "../drawing/region-bitmap.js";
import { type Color, cssColor, regionColors } from "../drawing/region-colors.js";
import type { ResultRow } from "../results/result-list.js";
import { percent } from "../util/format.js";
import { type ClassMap, type ClassShare, classShares } from "./class-map.js";

export class ClassRegions {
  readonly #painting = new RegionBitmap();
  readonly #map: ClassMap;
  readonly #shares: ClassShare[];
  /** Indexed by class. */
  readonly #colors: Color[] = [];

  constructor(map: ClassMap) {
    this.#map = map;
    this.#shares = classShares(map);
    for (const { classIndex } of this.#shares) {
      const [color] = regionColors([{ classIndex }]);
      if (color) this.#colors[classIndex] = color;
    }
  }

  /** The rows of the list, the largest class first. */
  get rows(): ResultRow[] {
    return this.#shares.map(({ classIndex, share }) => ({
      label: `class ${classIndex}`,
      color: cssColor(this.#colors[classIndex] ?? [255, 255, 255]),
      detail: "",
      share,
      value: percent(share),
    }));
  }

  /** Paints the regions; with a row, the other classes fade. Returns null if it is painted differently meanwhile. */
  paint(row: number | null): Promise<ImageBitmap | null> {
    const lit = row === null ? undefined : this.#shares[row];
    return this.#painting.paint(this.#map, this.#colors, lit ? lit.classIndex + 1 : null);
  }
}
