// A depth map as a picture in colours.

import type { DepthResult } from "../src/index.js";
import { type Scale, shareOf } from "./depth-scale.js";
import { Painting } from "./painting.js";
import { shade, viridis } from "./viridis.js";

const slice = 60_000;

export class DepthPicture {
  readonly #painting = new Painting(slice);

  /** With `fading` the map is the more transparent the less sure the model is. Null: another map came meanwhile. */
  paint(result: DepthResult, scale: Scale, fading: boolean): Promise<ImageBitmap | null> {
    return this.#painting.paint(result, () => {
      const work = { result, scale, sure: fading ? surest(result.confidence) : null };
      return (pixels, first, end) => paintRows(pixels, first, end, work);
    });
  }

  /** Gives up what is being painted. */
  stop(): void {
    this.#painting.stop();
  }
}

interface Work {
  result: DepthResult;
  scale: Scale;
  /** The confidence at which the map is opaque; null where it does not fade. */
  sure: number | null;
}

/** 1, or the largest of a confidence that is not between 0 and 1. */
function surest(confidence: Float32Array | null): number {
  return confidence?.reduce((most, value) => (Number.isNaN(value) ? most : Math.max(most, value)), 1) ?? 1;
}

/** What has no depth stays transparent. */
function paintRows(pixels: ImageData, first: number, end: number, { result, scale, sure }: Work): void {
  const { depth, confidence } = result;
  for (let y = first, to = first * pixels.width * 4; y < end; y += 1) {
    const row = Math.floor(((y + 0.5) * result.height) / pixels.height) * result.width;
    for (let x = 0; x < pixels.width; x += 1, to += 4) {
      const from = row + Math.floor(((x + 0.5) * result.width) / pixels.width);
      const value = depth[from] ?? Number.NaN;
      if (!Number.isFinite(value)) continue;
      const color = shade(shareOf(scale, value));
      pixels.data[to] = viridis[color] ?? 0;
      pixels.data[to + 1] = viridis[color + 1] ?? 0;
      pixels.data[to + 2] = viridis[color + 2] ?? 0;
      pixels.data[to + 3] = sure === null ? 255 : (255 * (confidence?.[from] ?? sure)) / sure;
    }
  }
}
