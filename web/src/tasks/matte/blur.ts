// Blurs the background of a small picture: each pixel is a mean of its neighbours, weighted by how much they
// are background.

import type { Size } from "../../preprocess/letterbox.js";

/** The longer side of the blurred picture, in pixels. After enlarging, a larger one would look the same. */
const LONGER_SIDE = 192;
/** The sigma of the Gaussian, in these pixels, and its radius. */
const SIGMA = 4;
const REACH = 12;
/** The least weight of a pixel, for pixels that are completely foreground. */
const LEAST = 1 / 1024;

/** Returns the size at which a picture is blurred. */
export function shrunk({ width, height }: Size): Size {
  const shrink = Math.max(1, Math.max(width, height) / LONGER_SIDE);
  const side = (length: number): number => Math.max(1, Math.round(length / shrink));
  return { width: side(width), height: side(height) };
}

/** Blurs a small picture. `alpha` is the alpha of the picture at its full size. */
export function blurBehind({ width, height, data }: ImageData, alpha: Uint8Array, full: Size): ImageData {
  const behind = meanBehind({ width, height }, alpha, full);
  const sums = new Float32Array(width * height * 4);
  for (let at = 0; at < behind.length; at++) {
    const weight = (behind[at] ?? 0) * ((data[at * 4 + 3] ?? 0) / 255);
    for (let channel = 0; channel < 3; channel++)
      sums[at * 4 + channel] = weight * (data[at * 4 + channel] ?? 0);
    sums[at * 4 + 3] = weight;
  }
  const across = smoothed(sums, { count: width, step: 4 }, { count: height, step: width * 4 });
  const both = smoothed(across, { count: height, step: width * 4 }, { count: width, step: 4 });
  const blurred = new ImageData(width, height);
  for (let at = 0; at < both.length; at += 4) {
    const weight = both[at + 3] ?? 0;
    for (let channel = 0; channel < 3; channel++)
      blurred.data[at + channel] = weight > 0 ? (both[at + channel] ?? 0) / weight : 255;
    blurred.data[at + 3] = 255;
  }
  return blurred;
}

/** Returns for each small pixel its share of background. */
function meanBehind({ width, height }: Size, alpha: Uint8Array, full: Size): Float32Array {
  const sums = new Float32Array(width * height);
  const counts = new Float32Array(width * height);
  for (let y = 0, at = 0; y < full.height; y++) {
    const row = Math.floor((y * height) / full.height) * width;
    for (let x = 0; x < full.width; x++, at++) {
      const cell = row + Math.floor((x * width) / full.width);
      sums[cell] = (sums[cell] ?? 0) + (alpha[at] ?? 0);
      counts[cell] = (counts[cell] ?? 0) + 255;
    }
  }
  return sums.map((sum, cell) => Math.max(LEAST, 1 - sum / Math.max(1, counts[cell] ?? 1)));
}

interface Axis {
  count: number;
  step: number;
}

/** Blurs four channels along an axis. Pixels outside of the picture have no weight. */
function smoothed(values: Float32Array, along: Axis, lines: Axis): Float32Array {
  const result = new Float32Array(values.length);
  const bell = Array.from({ length: 2 * REACH + 1 }, (_, at) =>
    Math.exp(-((at - REACH) ** 2) / (2 * SIGMA ** 2)),
  );
  for (let line = 0; line < lines.count; line++) {
    for (let place = 0; place < along.count; place++) {
      const to = line * lines.step + place * along.step;
      const first = Math.max(0, place - REACH);
      const last = Math.min(along.count - 1, place + REACH);
      for (let from = first; from <= last; from++) {
        const weight = bell[from - place + REACH] ?? 0;
        const at = line * lines.step + from * along.step;
        for (let channel = 0; channel < 4; channel++)
          result[to + channel] = (result[to + channel] ?? 0) + weight * (values[at + channel] ?? 0);
      }
    }
  }
  return result;
}
