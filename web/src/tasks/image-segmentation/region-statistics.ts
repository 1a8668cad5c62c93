// What every pixel of a picture belongs to, counted and measured.

import type { Region } from "../../api/types.js";
import type { Size } from "../../preprocess/letterbox.js";

/** A region that is in the map under some numbers, not yet measured. */
export interface RegionPixels {
  numbers: number[];
  classIndex: number;
  score: number | null;
}

/** Renumbers the regions that show from 1, in their order. What is in none of them is 0. */
export function measureRegions(
  numbers: Int32Array,
  { width, height }: Size,
  drawn: readonly RegionPixels[],
  classes: readonly string[],
): { regions: Region[]; map: Uint16Array<ArrayBuffer> } {
  const places = placesOf(drawn);
  const extents = drawn.map(() => ({ pixels: 0, x1: width, y1: height, x2: 0, y2: 0 }));
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; ) {
      const begin = x;
      const number = numbers[at] ?? 0;
      while (x < width && numbers[at] === number) {
        x += 1;
        at += 1;
      }
      const extent = extents[places[number] ?? -1];
      if (extent === undefined) continue;
      extent.pixels += x - begin;
      extent.x1 = Math.min(extent.x1, begin);
      extent.x2 = Math.max(extent.x2, x);
      extent.y1 = Math.min(extent.y1, y);
      extent.y2 = y + 1;
    }
  }
  const regions: Region[] = [];
  const renumbered = drawn.map(({ classIndex, score }, index) => {
    const { pixels = 0, ...box } = extents[index] ?? { pixels: 0, x1: 0, y1: 0, x2: 0, y2: 0 };
    if (pixels === 0) return 0;
    const label = classes[classIndex] ?? `class ${classIndex}`;
    return regions.push({ classIndex, label, score, pixels, share: pixels / (width * height), box });
  });
  const renumbering = Uint16Array.from(places, (place) => renumbered[place] ?? 0);
  const map = new Uint16Array(numbers.length);
  for (let at = 0; at < numbers.length; at += 1) map[at] = renumbering[numbers[at] ?? 0] ?? 0;
  return { regions, map };
}

/** By number the place of its region, -1 for one that none has. */
function placesOf(drawn: readonly RegionPixels[]): Int32Array {
  const most = drawn.flatMap(({ numbers }) => numbers).reduce((a, b) => Math.max(a, b), 0);
  const places = new Int32Array(most + 1).fill(-1);
  for (const [index, { numbers }] of drawn.entries()) for (const number of numbers) places[number] = index;
  return places;
}
