// Checks whether a mask is stable at the picture's pixels, as Segment Anything's generator does.

import type { Box } from "../../../api/geometry.js";
import { runLengths } from "../../../export/rle.js";
import type { MaskGenerationTask } from "../../../manifest/manifest.js";
import type { Geometry, Size } from "../../../preprocess/letterbox.js";
import type { Taps } from "../../../preprocess/resample.js";
import { GrowingBox, resampledRows } from "../decode-masks.js";
import { type MaskTaps, maskTaps } from "../mask-taps.js";
import type { FoundMask } from "./result.js";
import type { EverythingSettings } from "./settings.js";

/** Filters the masks of a picture, one after another. */
export class MaskFilter {
  readonly #source: Size;
  readonly #grid: Size;
  readonly #taps: MaskTaps;
  readonly #levels: { low: number; threshold: number; high: number };
  readonly #leastStability: number;

  constructor(
    { stabilityOffset, stabilityThreshold }: EverythingSettings,
    task: MaskGenerationTask,
    geometry: Geometry,
    grid: Size,
  ) {
    const { threshold } = task;
    this.#source = geometry.source;
    this.#grid = grid;
    this.#taps = maskTaps(task, geometry, grid);
    this.#levels = { low: threshold - stabilityOffset, threshold, high: threshold + stabilityOffset };
    this.#leastStability = stabilityThreshold;
  }

  /** Returns the mask of the logits of a grid, null if it is empty or not stable. */
  find(logits: Float32Array): Pick<FoundMask, "mask" | "stability" | "box"> | null {
    const part = this.#partAbove(logits);
    if (part === null) return null;
    const { low, threshold, high } = this.#levels;
    const { x1, y1 } = part;
    const columns = part.x2 - x1;
    const pixels = new Uint8Array(columns * (part.y2 - y1));
    const box = new GrowingBox();
    let [inner, outer] = [0, 0];
    for (const { y, values } of resampledRows(this.#taps, logits, this.#grid, part)) {
      let [first, last] = [columns, -1];
      for (let x = 0; x < columns; x++) {
        const value = values[x] ?? 0;
        if (!(value > low)) continue;
        outer++;
        if (!(value > threshold)) continue;
        pixels[(y - y1) * columns + x] = 1;
        first = Math.min(first, x);
        last = x;
        if (value > high) inner++;
      }
      if (last < 0) continue;
      box.add(x1 + first, y);
      box.add(x1 + last, y);
    }
    const stability = Math.fround(inner / outer);
    if (box.isEmpty || stability < Math.fround(this.#leastStability)) return null;
    const { width, height } = this.#source;
    const inside = (x: number, y: number): boolean => pixels[(y - y1) * columns + x - x1] === 1;
    const counts = Uint32Array.from(runLengths(width, height, inside, box.box));
    return { mask: { width, height, counts }, stability, box: box.box };
  }

  /** Returns the part of the picture that depends on cells above the lowest level, null if there is none. */
  #partAbove(logits: Float32Array): Box | null {
    const { width, height } = this.#grid;
    const cells = new GrowingBox();
    for (let at = 0; at < width * height; at++)
      if ((logits[at] ?? 0) >= this.#levels.low) cells.add(at % width, Math.floor(at / width));
    const { x1, y1, x2, y2 } = cells.box;
    const across = pixelsOf(this.#taps.columns, x1, x2);
    const down = pixelsOf(this.#taps.rows, y1, y2);
    if (across === null || down === null) return null;
    return { x1: across[0], y1: down[0], x2: across[1], y2: down[1] };
  }
}

/** Returns the first pixel with a tap in the cells from `begin` up to `end`, and the one after the last. */
function pixelsOf({ count, at }: Taps, begin: number, end: number): [number, number] | null {
  const isTap = (cell: number): boolean => cell >= begin && cell < end;
  const first = at.findIndex(isTap);
  return first < 0 ? null : [Math.floor(first / count), Math.floor(at.findLastIndex(isTap) / count) + 1];
}
