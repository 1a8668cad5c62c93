// The class of every pixel: the argmax of several maps, or the number in a single map.

import { inSlices } from "../../src/export/slices.js";
import type { Size } from "../drawing/fit.js";
import { paintedSize } from "../drawing/sliced-painter.js";
import type { Planes } from "./axes.js";
import { numberAt, type Values } from "./behaviour.js";
import { nearestCells, type Placement, sizeInCells } from "./placement.js";

/** Values to read between two pauses. */
const slice = 200_000;
/** Pixels of the longer side. */
const leastSide = 640;

/** The class of each pixel plus 1, row by row; 0 for no class. */
export interface ClassMap extends Size {
  map: Uint16Array<ArrayBuffer>;
}

/** A class in the map, and its share of the pixels. */
export interface ClassShare {
  classIndex: number;
  share: number;
}

/** Returns the class map at the picture's aspect ratio. Pixels below `least` have no class. Null if another output is shown. */
export async function classMap(
  data: Values,
  planes: Planes,
  placement: Placement,
  stopped: () => boolean,
  least = Number.NEGATIVE_INFINITY,
): Promise<ClassMap | null> {
  const { width, height } = paintedSize(enlarged(sizeInCells(planes, placement)));
  const { columns, rows } = nearestCells(planes, placement, { width, height });
  const map = new Uint16Array(width * height);
  const lines = Math.max(1, Math.floor(slice / (width * planes.channels)));
  const work = (first: number, end: number): void => {
    for (let y = first, to = first * width; y < end; y += 1) {
      const row = rows[y] ?? -1;
      for (let x = 0; x < width; x += 1, to += 1) {
        const column = columns[x] ?? -1;
        if (row >= 0 && column >= 0) map[to] = classAt(data, planes, row * planes.width + column, least) + 1;
      }
    }
  };
  return (await inSlices(height, lines, work, stopped)) ? { map, width, height } : null;
}

/** Enlarges a small map, so that regions get thin outlines. */
function enlarged({ width, height }: Size): Size {
  const scale = Math.max(1, leastSide / Math.max(width, height));
  return { width: width * scale, height: height * scale };
}

/** Returns the class of a cell; -1 if it has none, or no map reaches `least`. */
export function classAt(
  data: Values,
  { channels, step, stride }: Planes,
  cell: number,
  least = Number.NEGATIVE_INFINITY,
): number {
  if (channels === 1) {
    const value = numberAt(data, cell * step);
    return value >= 0 && value < 0xffff ? Math.floor(value) : -1;
  }
  let [best, largest] = [-1, least];
  for (let channel = 0, at = cell * step; channel < channels; channel += 1, at += stride) {
    const value = numberAt(data, at);
    if (value > largest) [best, largest] = [channel, value];
  }
  return best;
}

/** Returns the classes in the map, the largest first. */
export function classShares({ map }: ClassMap): ClassShare[] {
  const counts = new Uint32Array(0x10000);
  for (let at = 0; at < map.length; at += 1) counts[map[at] ?? 0] = (counts[map[at] ?? 0] ?? 0) + 1;
  const total = map.length - (counts[0] ?? 0);
  return [...counts.keys()]
    .filter((number) => number > 0 && counts[number])
    .map((number) => ({ classIndex: number - 1, share: (counts[number] ?? 0) / total }))
    .sort((a, b) => b.share - a.share || a.classIndex - b.classIndex);
}
