// Interprets several maps in one output: probabilities that sum to 1, independent masks, or heat maps with offsets.

import type { Planes } from "./axes.js";
import { hasPeaks, numberAt, spread, type Values } from "./behaviour.js";

const places = 512;
/** Rows and columns that are sampled for the axis of a map. */
const lines = 64;
/** The share of sampled cells, or of a map's variance, that has to match. */
const most = 0.9;
/** The threshold of independent probabilities. */
export const even = 0.5;

/** Returns the values of all maps at sampled cells, [cells, channels]. */
function samples(data: Values, { width, height, channels, step, stride }: Planes): number[][] {
  return spread(width * height, places).map((cell) =>
    Array.from({ length: channels }, (_, channel) => numberAt(data, cell * step + channel * stride)),
  );
}

/** Whether the maps are probabilities of classes that exclude each other. */
function addUpToOne(data: Values, planes: Planes): boolean {
  const sums = samples(data, planes).map((values) => values.reduce((sum, value) => sum + value, 0));
  return sums.filter((sum) => Math.abs(sum - 1) < 0.01).length > most * sums.length;
}

/** Whether the maps are probabilities of independent classes (sigmoid), where a pixel may have none. */
export function areIndependent(data: Values, planes: Planes): boolean {
  if (planes.channels < 2 || addUpToOne(data, planes)) return false;
  return samples(data, planes).every((values) => values.every((value) => value >= -0.1 && value <= 1.1));
}

/**
 * Returns the heat maps: all maps if each has a small peak, or the first third if the other two are offsets from each
 * cell along the height and the width. Null if there are none.
 */
export function heatMaps(data: Values, planes: Planes): Planes | null {
  const { channels } = planes;
  if (channels % 3 === 0 && areOffsets(data, planes)) return { ...planes, channels: channels / 3 };
  return channels >= 4 && hasPeaks(data, planes) && !addUpToOne(data, planes) ? planes : null;
}

/** Whether the last two thirds are offsets to a point: each varies along one axis only, and the axes differ. */
function areOffsets(data: Values, planes: Planes): boolean {
  const count = planes.channels / 3;
  const axes = [count, 2 * count].map((first) => {
    const alongs = spread(count, 8).map((channel) => axisOf(data, planes, first + channel));
    return alongs.every((along) => along === alongs[0]) ? (alongs[0] ?? null) : null;
  });
  return axes.includes("height") && axes.includes("width");
}

/** Returns the axis with nearly all of a map's variance, on a grid of sampled cells; null if there is none. */
function axisOf(
  data: Values,
  { width, height, step, stride }: Planes,
  channel: number,
): "height" | "width" | null {
  const [ys, xs] = [spread(height, lines), spread(width, lines)];
  const rows = new Float64Array(ys.length);
  const columns = new Float64Array(xs.length);
  let squares = 0;
  for (const [row, y] of ys.entries())
    for (const [column, x] of xs.entries()) {
      const value = numberAt(data, (y * width + x) * step + channel * stride);
      rows[row] = (rows[row] ?? 0) + value / xs.length;
      columns[column] = (columns[column] ?? 0) + value / ys.length;
      squares += value * value;
    }
  const mean = rows.reduce((sum, value) => sum + value, 0) / rows.length;
  const whole = squares / (rows.length * columns.length) - mean * mean;
  if (!(whole > 1e-9)) return null;
  const share = (means: Float64Array): number =>
    means.reduce((sum, value) => sum + (value - mean) ** 2, 0) / means.length / whole;
  if (share(rows) > most) return "height";
  return share(columns) > most ? "width" : null;
}
