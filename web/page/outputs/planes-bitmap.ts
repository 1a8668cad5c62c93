// Paints one map in colours, or three maps as a picture, with the aspect ratio of the input picture.

import { inSlices } from "../../src/export/slices.js";
import { viridisColor } from "../../src/tasks/depth/colormap/viridis.js";
import { SlicedPainter } from "../drawing/sliced-painter.js";
import type { Planes } from "./axes.js";
import { type Levels, numberAt, type Values } from "./behaviour.js";
import { nearestCells, type Placement, sizeInCells } from "./placement.js";
import type { Reading } from "./reading.js";

const slice = 60_000;
const opaque = 255 << 24;

/** Returns the colour of the cell at an element: red in the lowest byte, then green, blue and alpha. */
type CellColor = (element: number) => number;

/** Paints the map over the picture. Parts of the picture outside the model's input are transparent. */
export function paintPlanes(
  planes: Planes,
  placement: Placement,
  colorAt: CellColor,
): Promise<ImageBitmap | null> {
  return new SlicedPainter(slice).paint(sizeInCells(planes, placement), (size) => {
    const { columns, rows } = nearestCells(planes, placement, size);
    return ({ data, width }, first, end) => {
      const words = new Uint32Array(data.buffer);
      for (let y = first, to = first * width; y < end; y += 1) {
        const row = rows[y] ?? -1;
        for (let x = 0; x < width; x += 1, to += 1) {
          const column = columns[x] ?? -1;
          if (row >= 0 && column >= 0) words[to] = colorAt((row * planes.width + column) * planes.step);
        }
      }
    };
  });
}

/** Returns colours from dark (low) to bright (high); NaN is transparent. */
export function mapColors(data: Values, { low, high }: Levels): CellColor {
  return (element) => {
    const value = numberAt(data, element);
    const share = high > low ? (value - low) / (high - low) : 0.5;
    return Number.isFinite(value) ? viridisColor(share) | opaque : 0;
  };
}

export function pictureColors(
  data: Values,
  { planes, levels: { low, high }, color }: Extract<Reading, { form: "picture" }>,
): CellColor {
  const [red, blue] = color === "bgr" ? [2, 0] : [0, 2];
  const byte = (value: number): number =>
    Math.round(255 * Math.min(Math.max((value - low) / (high - low || 1), 0), 1)) || 0;
  return (element) => {
    const channel = (index: number): number => byte(numberAt(data, element + index * planes.stride));
    if (planes.channels === 1) return (channel(0) * 0x10101) | opaque;
    return channel(red) | (channel(1) << 8) | (channel(blue) << 16) | opaque;
  };
}

/** Returns the least and the largest finite number; null if another output is shown meanwhile. */
export async function levelsOf(data: Values, stopped: () => boolean): Promise<Levels | null> {
  const levels = { low: Number.POSITIVE_INFINITY, high: Number.NEGATIVE_INFINITY };
  const done = await inSlices(
    data.length,
    100_000,
    (from, end) => {
      for (let index = from; index < end; index += 1) {
        const value = numberAt(data, index);
        if (!Number.isFinite(value)) continue;
        if (value < levels.low) levels.low = value;
        if (value > levels.high) levels.high = value;
      }
    },
    stopped,
  );
  if (!done) return null;
  return levels.low <= levels.high ? levels : { low: Number.NaN, high: Number.NaN };
}
