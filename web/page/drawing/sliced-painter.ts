// Paints a map of a picture's pixels into a bitmap, in slices of rows with pauses, so that the page stays responsive.

import { inSlices } from "../../src/export/slices.js";
import type { Size } from "./fit.js";

/** Pixels of the longer side: more than a stage has. */
const MAX_SIDE = 1280;

/** Returns the size of the painted map. */
export function paintedSize(map: Size): Size {
  const shrink = Math.max(1, Math.max(map.width, map.height) / MAX_SIDE);
  return {
    width: Math.max(1, Math.round(map.width / shrink)),
    height: Math.max(1, Math.round(map.height / shrink)),
  };
}

/** Paints the rows from `first` to before `end`. */
type PaintRows = (pixels: ImageData, first: number, end: number) => void;

export class SlicedPainter {
  readonly #slice: number;
  /** Counts paintings, to drop one that finishes after a newer one started. */
  #turn = 0;

  /** `slice` is the number of pixels to paint between two pauses. */
  constructor(slice: number) {
    this.#slice = slice;
  }

  /** Paints a map. `prepare` gets the painted size. Returns null if another map was started meanwhile. */
  async paint(map: Size, prepare: (size: Size) => PaintRows): Promise<ImageBitmap | null> {
    this.#turn += 1;
    const turn = this.#turn;
    const { width, height } = paintedSize(map);
    const pixels = new ImageData(width, height);
    const paintRows = prepare({ width, height });
    const rows = Math.max(1, Math.floor(this.#slice / width));
    const stopped = () => turn !== this.#turn;
    const painted = await inSlices(height, rows, (first, end) => paintRows(pixels, first, end), stopped);
    if (!painted) return null;
    const picture = await createImageBitmap(pixels);
    if (turn === this.#turn) return picture;
    picture.close();
    return null;
  }

  /** Aborts the current painting. */
  stop(): void {
    this.#turn += 1;
  }
}
