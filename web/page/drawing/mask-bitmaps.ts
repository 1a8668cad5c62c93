// The masks of a result as coloured bitmaps, each painted once and drawn whenever the stage changes.

import type { Mask } from "../../src/index.js";
import type { AnyDetection } from "../results/detections.js";

const FILL_OPACITY = 0.42;
const OUTLINE_OPACITY = 0.95;

export class MaskBitmaps {
  #pictures: readonly (ImageBitmap | null)[] = [];
  /** Counts results, to drop masks that finish after a newer result started. */
  #turn = 0;

  at(index: number): ImageBitmap | null {
    return this.#pictures[index] ?? null;
  }

  /** Paints one mask after the other, so that the page stays responsive. Returns false if another result came meanwhile. */
  async paint(detections: readonly AnyDetection[], colors: readonly string[]): Promise<boolean> {
    this.#turn += 1;
    const turn = this.#turn;
    const pictures: (ImageBitmap | null)[] = [];
    for (const [index, one] of detections.entries()) {
      pictures.push("mask" in one ? await picture(one.mask, colors[index] ?? "") : null);
      if (turn === this.#turn) continue;
      close(pictures);
      return false;
    }
    close(this.#pictures);
    this.#pictures = pictures;
    return true;
  }

  clear(): void {
    this.#turn += 1;
    close(this.#pictures);
    this.#pictures = [];
  }
}

function close(pictures: readonly (ImageBitmap | null)[]): void {
  for (const each of pictures) each?.close();
}

/** Returns a bitmap of the mask; null if the mask has no cells. */
async function picture(mask: Mask, color: string): Promise<ImageBitmap | null> {
  const { columns, rows } = mask;
  if (columns * rows === 0) return null;
  const pixels = new ImageData(columns, rows);
  paintCells(
    new Uint32Array(pixels.data.buffer),
    mask,
    pixel(color, FILL_OPACITY),
    pixel(color, OUTLINE_OPACITY),
  );
  return createImageBitmap(pixels);
}

/** Paints the cells; those at the edge are nearly opaque, as an outline. */
function paintCells(pixels: Uint32Array, { columns, rows, data }: Mask, inner: number, outer: number): void {
  const inside = (at: number): boolean => data[at] === 1;
  for (let row = 0, at = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1, at += 1) {
      if (!inside(at)) continue;
      const across = column > 0 && column < columns - 1 && inside(at - 1) && inside(at + 1);
      const along = row > 0 && row < rows - 1 && inside(at - columns) && inside(at + columns);
      pixels[at] = across && along ? inner : outer;
    }
  }
}

/** Returns the color #rrggbb with alpha as a number with the bytes red, green, blue, alpha in this machine's byte order. */
function pixel(color: string, opacity: number): number {
  const channels = [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));
  return new Uint32Array(Uint8Array.of(...channels, Math.round(255 * opacity)).buffer)[0] ?? 0;
}
