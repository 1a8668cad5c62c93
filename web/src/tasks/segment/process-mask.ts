// Computes which pixels of the model's input an object covers, from weighted prototypes.

import type { Mask } from "../../api/types.js";
import type { Geometry, Size } from "../../preprocess/letterbox.js";
import { at, sourcePoint } from "../detection-rows.js";

/** The elements of the prototypes in row-major order, the size of each, and the model's input size. */
export interface Prototypes {
  protos: Float32Array;
  grid: Size;
  input: Size;
}

/** The pixels of a mask, and the taps of its columns and rows in the prototypes. */
export interface MaskGeometry {
  rectangle: Omit<Mask, "data">;
  x: readonly Tap[];
  y: readonly Tap[];
}

/**
 * Returns every pixel of the input whose centre is in the box x1 y1 x2 y2 and in the picture. See
 * SegmentTask.
 */
export function maskGeometry(
  geometry: Geometry,
  box: Float32Array,
  { grid, input }: Omit<Prototypes, "protos">,
): MaskGeometry {
  const { left, top, width, height } = geometry;
  const across = span([at(box, 0), at(box, 2)], [left, left + width], input.width);
  const down = span([at(box, 1), at(box, 3)], [top, top + height], input.height);
  const start = sourcePoint(geometry, [across.first, down.first]);
  const end = sourcePoint(geometry, [across.first + across.count, down.first + down.count]);
  const size = { width: end.x - start.x, height: end.y - start.y };
  return {
    rectangle: { ...start, ...size, columns: across.count, rows: down.count },
    x: taps(across, input.width, grid.width),
    y: taps(down, input.height, grid.height),
  };
}

export function processMask(
  geometry: Geometry,
  box: Float32Array,
  coefficients: Float32Array,
  { protos, grid, input }: Prototypes,
): Mask {
  const { rectangle, x, y } = maskGeometry(geometry, box, { grid, input });
  const part = gridPart(x, y);
  return { ...rectangle, data: thresholdMask(weightedSum(coefficients, protos, grid, part), part, { x, y }) };
}

/** The part of the prototypes' grid that the taps of a mask read. */
interface GridPart {
  left: number;
  top: number;
  width: number;
  height: number;
}

export function gridPart(x: readonly Tap[], y: readonly Tap[]): GridPart {
  const left = x[0]?.first ?? 0;
  const top = y[0]?.first ?? 0;
  const width = (x.at(-1)?.second ?? left - 1) - left + 1;
  const height = (y.at(-1)?.second ?? top - 1) - top + 1;
  return { left, top, width, height };
}

interface Span {
  first: number;
  count: number;
}

type Interval = readonly [from: number, to: number];

/** Returns the pixels with low <= centre < high in picture and input; none if the box is NaN. */
function span([low, high]: Interval, [start, end]: Interval, size: number): Span {
  const least = Math.max(start, 0);
  const pixel = (edge: number): number => Math.ceil(Math.min(Math.max(edge - 0.5, least), end, size));
  const count = pixel(high) - pixel(low);
  return count > 0 ? { first: pixel(low), count } : { first: pixel(low) || least, count: 0 };
}

/** The two positions in the prototypes that a pixel is between, and the fraction from first to second. */
export interface Tap {
  first: number;
  second: number;
  fraction: number;
}

/** Returns the taps: half-pixel centres, clamped at the edges. */
function taps({ first, count }: Span, size: number, grid: number): Tap[] {
  return Array.from({ length: count }, (_, index) => {
    const centre = ((first + index + 0.5) * grid) / size - 0.5;
    const position = Math.min(Math.max(centre, 0), grid - 1);
    const place = Math.floor(position);
    return { first: place, second: Math.min(place + 1, grid - 1), fraction: position - place };
  });
}

/**
 * Returns the weighted sum of the prototypes over a part of their grid, in float64 and in Python's order of
 * addition.
 */
function weightedSum(
  coefficients: Float32Array,
  protos: Float32Array,
  grid: Size,
  { left, top, width, height }: GridPart,
): Float64Array {
  const values = new Float64Array(width * height);
  for (const [index, coefficient] of coefficients.entries()) {
    for (let line = 0; line < height; line++) {
      let from = (index * grid.height + top + line) * grid.width + left;
      for (let to = line * width; to < (line + 1) * width; to++) {
        values[to] = (values[to] ?? 0) + coefficient * (protos[from++] ?? Number.NaN);
      }
    }
  }
  return values;
}

function thresholdMask(
  values: Float64Array,
  { left, top, width }: GridPart,
  { x, y }: Pick<MaskGeometry, "x" | "y">,
): Mask["data"] {
  const data = new Uint8Array(x.length * y.length);
  let to = 0;
  for (const row of y) {
    const upper = (row.first - top) * width - left;
    const lower = (row.second - top) * width - left;
    for (const { first, second, fraction } of x) {
      const above = (1 - fraction) * at(values, upper + first) + fraction * at(values, upper + second);
      const below = (1 - fraction) * at(values, lower + first) + fraction * at(values, lower + second);
      data[to++] = (1 - row.fraction) * above + row.fraction * below > 0 ? 1 : 0;
    }
  }
  return data;
}
