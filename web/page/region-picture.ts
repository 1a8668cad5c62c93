// The regions of a picture in their colours, painted in slices so that the page never stalls.

import type { PanopticResult } from "../src/index.js";
import type { Color } from "./region-colors.js";

/** Pixels of the longer side: more than a stage has. */
const largest = 1280;
const slice = 120_000;
const fill = 0.5;
const rim = 0.95;
const faded = 0.1;

export class RegionPicture {
  /** Tells the newest map from one that is painted late. */
  #turn = 0;

  /** With `lit`, the number of a region, the others fade. Null: another picture came meanwhile. */
  async paint(
    result: PanopticResult,
    colors: readonly Color[],
    lit: number | null,
  ): Promise<ImageBitmap | null> {
    this.#turn += 1;
    const turn = this.#turn;
    const shrink = Math.max(1, Math.max(result.width, result.height) / largest);
    const width = Math.max(1, Math.round(result.width / shrink));
    const height = Math.max(1, Math.round(result.height / shrink));
    const pixels = new ImageData(width, height);
    const numbers = shrunk(result, width, height);
    const rows = Math.max(1, Math.floor(slice / width));
    for (let first = 0; first < height; first += rows) {
      paintRows(pixels, numbers, first, Math.min(first + rows, height), { colors, lit });
      if (first + rows < height) await pause();
      if (turn !== this.#turn) return null;
    }
    const picture = await createImageBitmap(pixels);
    if (turn === this.#turn) return picture;
    picture.close();
    return null;
  }

  /** Gives up what is being painted. */
  stop(): void {
    this.#turn += 1;
  }
}

function shrunk({ map, ...size }: PanopticResult, width: number, height: number): Uint16Array {
  if (width === size.width && height === size.height) return map;
  const numbers = new Uint16Array(width * height);
  for (let y = 0, to = 0; y < height; y += 1) {
    const row = Math.floor(((y + 0.5) * size.height) / height) * size.width;
    for (let x = 0; x < width; x += 1, to += 1)
      numbers[to] = map[row + Math.floor(((x + 0.5) * size.width) / width)] ?? 0;
  }
  return numbers;
}

interface Look {
  colors: readonly Color[];
  lit: number | null;
}

/** What belongs to nothing stays transparent; the rim of a region is nearly opaque. */
function paintRows(
  { data, width }: ImageData,
  numbers: Uint16Array,
  first: number,
  end: number,
  { colors, lit }: Look,
): void {
  for (let y = first, at = first * width; y < end; y += 1) {
    for (let x = 0; x < width; x += 1, at += 1) {
      const number = numbers[at] ?? 0;
      const color = colors[number - 1];
      if (color === undefined) continue;
      const across =
        (x === 0 || numbers[at - 1] === number) && (x === width - 1 || numbers[at + 1] === number);
      const along = (numbers[at - width] ?? number) === number && (numbers[at + width] ?? number) === number;
      const opacity = lit !== null && lit !== number ? faded : across && along ? fill : rim;
      data.set(color, at * 4);
      data[at * 4 + 3] = Math.round(255 * opacity);
    }
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
