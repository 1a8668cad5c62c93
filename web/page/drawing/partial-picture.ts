// The tiles of a picture that are finished, while the others are made.

import type { TileResult } from "../../src/index.js";
import type { Size } from "./fit.js";

/** Pixels of the longer side: as many as a stage shows. */
const MAX_SIDE = 2048;

export class PartialPicture {
  readonly #canvas: OffscreenCanvas;
  readonly #scale: number;

  /** `size` is that of the picture when all tiles are there. */
  constructor({ width, height }: Size) {
    this.#scale = Math.min(1, MAX_SIDE / Math.max(width, height));
    this.#canvas = new OffscreenCanvas(
      Math.max(1, Math.round(width * this.#scale)),
      Math.max(1, Math.round(height * this.#scale)),
    );
  }

  /** Closes the tile, and returns all that there is. Where nothing is yet it is transparent. */
  add({ x, y, width, height, picture }: TileResult): ImageBitmap {
    const gain = this.#scale;
    this.#canvas.getContext("2d")?.drawImage(picture, x * gain, y * gain, width * gain, height * gain);
    picture.close();
    const copy = new OffscreenCanvas(this.#canvas.width, this.#canvas.height);
    copy.getContext("2d")?.drawImage(this.#canvas, 0, 0);
    return copy.transferToImageBitmap();
  }
}
