// A bitmap of a picture's regions in their colours.

import type { ImageSegmentationResult } from "../../src/index.js";
import type { Color } from "./region-colors.js";
import { SlicedPainter } from "./sliced-painter.js";

/** The region number of every pixel, from 1, row by row; 0 for no region. */
type RegionMap = Pick<ImageSegmentationResult, "map" | "width" | "height">;

const PIXELS_PER_SLICE = 120_000;
const FILL_OPACITY = 0.5;
const OUTLINE_OPACITY = 0.95;
const FADED_OPACITY = 0.1;

export class RegionBitmap {
  readonly #painting = new SlicedPainter(PIXELS_PER_SLICE);

  /** Paints the regions. With `lit`, a region number, the others fade. Returns null if another picture came meanwhile. */
  paint(
    result: RegionMap,
    colors: readonly Color[],
    highlighted: number | null,
  ): Promise<ImageBitmap | null> {
    return this.#painting.paint(result, ({ width, height }) => {
      const numbers = downscaled(result, width, height);
      return (pixels, first, end) => paintRows(pixels, numbers, first, end, { colors, highlighted });
    });
  }

  /** Aborts the current painting. */
  stop(): void {
    this.#painting.stop();
  }
}

function downscaled({ map, ...size }: RegionMap, width: number, height: number): Uint16Array {
  if (width === size.width && height === size.height) return map;
  const numbers = new Uint16Array(width * height);
  for (let y = 0, to = 0; y < height; y += 1) {
    const row = Math.floor(((y + 0.5) * size.height) / height) * size.width;
    for (let x = 0; x < width; x += 1, to += 1)
      numbers[to] = map[row + Math.floor(((x + 0.5) * size.width) / width)] ?? 0;
  }
  return numbers;
}

interface RegionStyle {
  colors: readonly Color[];
  highlighted: number | null;
}

/** Paints rows: pixels without a region stay transparent, the edge of a region is nearly opaque. */
function paintRows(
  { data, width }: ImageData,
  numbers: Uint16Array,
  first: number,
  end: number,
  { colors, highlighted }: RegionStyle,
): void {
  for (let y = first, at = first * width; y < end; y += 1) {
    for (let x = 0; x < width; x += 1, at += 1) {
      const number = numbers[at] ?? 0;
      const color = colors[number - 1];
      if (color === undefined) continue;
      const across =
        (x === 0 || numbers[at - 1] === number) && (x === width - 1 || numbers[at + 1] === number);
      const along = (numbers[at - width] ?? number) === number && (numbers[at + width] ?? number) === number;
      const opacity =
        highlighted !== null && highlighted !== number
          ? FADED_OPACITY
          : across && along
            ? FILL_OPACITY
            : OUTLINE_OPACITY;
      data.set(color, at * 4);
      data[at * 4 + 3] = Math.round(255 * opacity);
    }
  }
}
