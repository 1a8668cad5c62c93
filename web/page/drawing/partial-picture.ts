// The finished tiles of a picture, while the others are computed.

import type { TileResult } from "../../src/index.js";
import type { Size } from "./fit.js";

/** Pixels of the longer side: as many as a stage shows. */
const MAX_SIDE = 2048;

export class PartialPicture {
  readonly #canvas: OffscreenCanvas;
  readonly #scale: number;

  /** Takes the size of the complete picture. */
  constructor({ width, height }: Size) {
    this.#scale = Math.min(1, MAX_SIDE / Math.max(width, height));
    this.#canvas = new OffscreenCanvas(
      Math.max(1, Math.round(width * this.#scale)),
      Math.max(1, Math.round(height * this.#scale)),
    );
  }

  /** Adds and closes a tile, and returns the picture so far, which later tiles are added to. Missing tiles are transparent. */
  add({ x, y, width, height, picture }: TileResult): OffscreenCanvas {
    const gain = this.#scale;
    this.#canvas.getContext("2d")?.drawImage(picture, x * gain, y * gain, width * gain, height * gain);
    picture.close();
    return this.#canvas;
  }
}
