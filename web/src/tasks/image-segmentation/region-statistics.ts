// Measures the regions of a picture.

import type { Region } from "../../api/types.js";
import type { Size } from "../../preprocess/letterbox.js";
import type { LabelRuns } from "./label-runs.js";

/** The numbers that a region has in the map, before it is measured. */
export interface RegionPixels {
  numbers: number[];
  classIndex: number;
  score: number | null;
}

/** Renumbers the visible regions from 1, in order. Pixels in no region get 0. */
export function measureRegions(
  runs: LabelRuns,
  { width, height }: Size,
  drawn: readonly RegionPixels[],
  classes: readonly string[],
): { regions: Region[]; map: Uint16Array<ArrayBuffer> } {
  const places = placesOf(drawn);
  const extents = drawn.map(() => ({ pixels: 0, x1: width, y1: height, x2: 0, y2: 0 }));
  runs.forEach((number, begin, end) => {
    const extent = extents[places[number] ?? -1];
    if (extent === undefined) return;
    const y = Math.floor(begin / width);
    extent.pixels += end - begin;
    extent.x1 = Math.min(extent.x1, begin - y * width);
    extent.x2 = Math.max(extent.x2, end - y * width);
    extent.y1 = Math.min(extent.y1, y);
    extent.y2 = y + 1;
  });
  const regions: Region[] = [];
  const renumbered = drawn.map(({ classIndex, score }, index) => {
    const { pixels = 0, ...box } = extents[index] ?? { pixels: 0, x1: 0, y1: 0, x2: 0, y2: 0 };
    if (pixels === 0) return 0;
    const label = classes[classIndex] ?? `class ${classIndex}`;
    return regions.push({ classIndex, label, score, pixels, share: pixels / (width * height), box });
  });
  const renumbering = Uint16Array.from(places, (place) => renumbered[place] ?? 0);
  return { regions, map: runs.paint(new Uint16Array(runs.pixels), (number) => renumbering[number] ?? 0) };
}

/** Returns the index of each number's region, -1 for a number without one. */
function placesOf(drawn: readonly RegionPixels[]): Int32Array {
  const most = drawn.flatMap(({ numbers }) => numbers).reduce((a, b) => Math.max(a, b), 0);
  const places = new Int32Array(most + 1).fill(-1);
  for (const [index, { numbers }] of drawn.entries()) for (const number of numbers) places[number] = index;
  return places;
}
