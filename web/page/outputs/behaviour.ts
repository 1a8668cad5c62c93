// Heuristics about the values of an output: range of a picture, peaks, landmarks, embeddings. Each samples about 1,000.

import type { TensorData } from "../../src/index.js";
import type { Planes, Rows } from "./axes.js";

export type Values = TensorData["data"];

/** The values of black and white. */
export interface Levels {
  low: number;
  high: number;
}

const ranges: readonly Levels[] = [
  { low: 0, high: 1 },
  { low: -1, high: 1 },
  { low: 0, high: 255 },
];
/** Up to this many numbers outside 0..1 are listed as plain numbers: an age, three angles. */
export const mostNumbers = 10;
/** The share of the values that has to match. */
export const most = 0.9;
/** The number of sampled values. */
export const looked = 1024;
const golden = (Math.sqrt(5) - 1) / 2;

export function numberAt(data: Values, index: number): number {
  return Number(data[index] ?? Number.NaN);
}

/** Returns at most `limit` indices below `count`, spread evenly, but not aligned to rows or columns. */
export function spread(count: number, limit: number): number[] {
  if (count <= limit) return Array.from({ length: count }, (_, index) => index);
  return Array.from({ length: limit }, (_, index) => Math.floor(((index * golden) % 1) * count));
}

/** Returns the share of items for which `holds` is true. */
export function shareOf<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  return items.length === 0 ? 0 : items.filter(holds).length / items.length;
}

/** Returns the values of sampled cells, [cells, channels]. */
function cells(data: Values, { width, height, channels, step, stride }: Planes, limit: number): number[][] {
  return spread(width * height, limit).map((cell) =>
    Array.from({ length: channels }, (_, channel) => numberAt(data, cell * step + channel * stride)),
  );
}

/**
 * Returns the usual pixel range of the values; null if there is none, or if they are probabilities of classes or masks:
 * they sum to 1 in each cell, or nearly all are at an end of the range.
 */
export function pictureLevels(data: Values, planes: Planes): Levels | null {
  const places = cells(data, planes, looked);
  const sums = places.map((values) => values.reduce((sum, value) => sum + value, 0));
  if (shareOf(sums, (sum) => Math.abs(sum - 1) < 0.01) > most) return null;
  const values = places.flat();
  const within = ({ low, high }: Levels): boolean => {
    const slack = (high - low) / 20;
    return shareOf(values, (value) => value >= low - slack && value <= high + slack) >= 0.98;
  };
  const found = ranges.find(within) ?? null;
  return found && !areMasks(values, found) ? found : null;
}

function areMasks(values: readonly number[], { low, high }: Levels): boolean {
  const slack = (high - low) / 50;
  const dark = shareOf(values, (value) => value < low + slack);
  const bright = shareOf(values, (value) => value > high - slack);
  return dark + bright > 0.8 && Math.min(dark, bright) > 0.03;
}

/** Returns the least and the largest of the sampled values. */
export function roughLevels(data: Values): Levels {
  const values = spread(data.length, looked).map((index) => numberAt(data, index));
  const finite = values.filter(Number.isFinite);
  return finite.length === 0 ? { low: 0, high: 1 } : { low: Math.min(...finite), high: Math.max(...finite) };
}

/** Whether most maps are low except for a small peak, like heat maps of joints. */
export function hasPeaks(data: Values, planes: Planes): boolean {
  const { channels, step, stride, width, height } = planes;
  const places = spread(width * height, looked);
  return (
    shareOf(spread(channels, 8), (channel) => {
      const values = places.map((cell) => numberAt(data, cell * step + channel * stride));
      const [low, high] = [Math.min(...values), Math.max(...values)];
      return high > low && shareOf(values, (value) => value > (low + high) / 2) < 0.03;
    }) >= 0.75
  );
}

/** Whether the numbers may be scores: probabilities, or so many that they are likely logits. */
export function areScores(data: Values): boolean {
  const values = spread(data.length, looked).map((index) => numberAt(data, index));
  return data.length > mostNumbers || values.every((value) => value >= 0 && value <= 1);
}

/** Whether the values may be class indices: integers from 0 to 999. */
export function areClassNumbers(data: Values): boolean {
  const values = spread(data.length, looked).map((index) => numberAt(data, index));
  return values.every((value) => Number.isInteger(value) && value >= 0 && value < 1000);
}

/** The largest mean distance between consecutive landmarks, relative to their standard deviation. */
const mostJump = 0.75;

/** Whether pairs or triples are landmarks as fractions of the input: in 0..1, spread out, each near the next, unsorted. */
export function areLandmarks(data: Values, { count, columns }: Rows): boolean {
  if (isFalling(data)) return false;
  const axes = [0, 1].map((axis) =>
    Array.from({ length: count }, (_, row) => numberAt(data, row * columns + axis)),
  );
  return axes.every((values) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / count;
    const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / count);
    const jumps = values.slice(1).map((value, index) => Math.abs(value - (values[index] ?? 0)));
    const jump = jumps.reduce((sum, value) => sum + value, 0) / jumps.length;
    const inside = shareOf(values, (value) => value >= -0.05 && value <= 1.05) >= most;
    return inside && spread > 0.03 && jump < mostJump * spread;
  });
}

/** Whether the values are in descending order, like sorted scores. */
function isFalling(data: Values): boolean {
  for (let index = 1; index < data.length; index += 1)
    if (numberAt(data, index) > numberAt(data, index - 1)) return false;
  return true;
}

const embeddingLengths = [64, 96, 128, 192, 256, 320, 384, 512, 640, 768, 1024, 1280, 1536, 2048];

/** Whether the numbers are an embedding: of both signs, and a unit vector or of a usual length. Scores are neither. */
export function isEmbedding(data: Values): boolean {
  let [squares, below] = [0, 0];
  for (let index = 0; index < data.length; index += 1) {
    const value = numberAt(data, index);
    squares += value * value;
    if (value < 0) below += 1;
  }
  const both = below > data.length / 10 && below < (data.length * 9) / 10;
  if (!both || data.length < 32) return false;
  return Math.abs(Math.sqrt(squares) - 1) < 0.01 || embeddingLengths.includes(data.length);
}
