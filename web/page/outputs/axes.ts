// Interprets the axes of an output: maps [height, width], rows [rows, columns], or one line of numbers.

import type { Size } from "../drawing/fit.js";

/** Maps of one size. The cell at (x, y) of a channel is element (y * width + x) * step + channel * stride. */
export interface Planes extends Size {
  channels: number;
  step: number;
  stride: number;
  /** Whether they have the input's aspect ratio, so that they can cover it. */
  fits: boolean;
  /** Whether there is a channel axis. Without one, the output could also be a table of numbers. */
  explicit: boolean;
}

export interface Rows {
  count: number;
  columns: number;
}

/** A map has at least this many cells on a side. */
const leastSide = 8;
/** The tolerance of the aspect ratio of maps against the input's, in addition to half a cell of rounding. */
const ratioSlack = 1.06;

/** Returns the maps of [1, C, H, W], [1, H, W, C], [C, H, W], [H, W, C], [1, H, W] or [H, W]; null for any other shape. */
export function planesOf(dims: readonly number[], input: Size): Planes | null {
  const lead = dims.length > 3 ? dims.slice(0, -3) : [];
  if (dims.length < 2 || lead.some((size) => size !== 1)) return null;
  const [first = 0, second = 0, third = 0] = dims.slice(-3);
  if (dims.length === 2) return planes(1, first, second, "first", false, input);
  if (dims.length === 3 && first === 1 && third >= leastSide)
    return planes(1, second, third, "first", false, input);
  const explicit = dims.length > 3;
  const channelsFirst = planes(first, second, third, "first", explicit, input);
  const channelsLast = planes(third, first, second, "last", explicit, input);
  if (channelsFirst === null || channelsLast === null) return channelsFirst ?? channelsLast;
  if (channelsFirst.fits !== channelsLast.fits) return channelsFirst.fits ? channelsFirst : channelsLast;
  return channelsLast.channels < channelsFirst.channels ? channelsLast : channelsFirst;
}

function planes(
  channels: number,
  height: number,
  width: number,
  order: "first" | "last",
  explicit: boolean,
  input: Size,
): Planes | null {
  if (channels < 1 || height < leastSide || width < leastSide) return null;
  const [step, stride] = order === "first" ? [1, width * height] : [channels, 1];
  return { width, height, channels, step, stride, explicit, fits: hasRatio({ width, height }, input) };
}

function hasRatio({ width, height }: Size, input: Size): boolean {
  const ratio = input.width / input.height;
  const least = (width - 0.5) / (height + 0.5) / ratioSlack;
  return least <= ratio && ratio <= ((width + 0.5) / (height - 0.5)) * ratioSlack;
}

/** Returns the rows of [N, K] with any number of ones before it, K at least 2; null for any other shape. */
export function rowsOf(dims: readonly number[]): Rows | null {
  const [count = 0, columns = 0] = dims.slice(-2);
  const lead = dims.slice(0, -2);
  if (dims.length < 2 || lead.some((size) => size !== 1) || count < 2 || columns < 2) return null;
  return { count, columns };
}

/** Returns the length if all axes but one have size 1; 0 for any other shape. */
export function lengthOf(dims: readonly number[]): number {
  const long = dims.filter((size) => size !== 1);
  return long.length === 1 ? (long[0] ?? 0) : 0;
}
