// Resamples a map over the model's input to a map over the source picture.

import type { Warning } from "../../api/types.js";
import type { Geometry, Size } from "../../preprocess/letterbox.js";
import { aligned, RowKernel } from "../../wasm/row-kernel.js";
import { copiedRows, MapReader, type MapTap, packColumns, packedBytes } from "./map-reader.js";

/** The elements of a map in row-major order, its size, and the size of the input it covers. */
export interface DepthMap {
  values: Float32Array;
  grid: Size;
  input: Size;
}

/**
 * Interpolates the map at the centre of every pixel of the source, see DepthTask. NaN outside of the model's
 * input.
 */
export function decodeMap(geometry: Geometry, map: DepthMap): Float32Array<ArrayBuffer> {
  const { width, height } = geometry.source;
  const read = new Float32Array(width * height);
  let to = 0;
  for (const row of readRows(geometry, map)) {
    read.set(row, to);
    to += width;
  }
  return read;
}

/** Like decodeMap(), row by row, if one at a time is enough: each row overwrites the previous one. */
export function* readRows(geometry: Geometry, map: DepthMap): Generator<Float32Array<ArrayBuffer>> {
  const { columns, rows } = mapTaps(geometry, map.input, map.grid);
  const rowBytes = aligned(columns.length * 4);
  const kernel = RowKernel.borrow(
    rowBytes + packedBytes(columns.length) + MapReader.bytes(columns.length, map),
  );
  try {
    const into = kernel.allot(rowBytes);
    const reader = new MapReader(kernel, packColumns(kernel, columns), copiedRows(kernel, map));
    for (const tap of rows) {
      reader.read(tap, into);
      yield new Float32Array(kernel.buffer, into, columns.length);
    }
  } finally {
    kernel.giveBack();
  }
}

/** Like decodeMap(), for one pixel of the source. */
export function readPixel(
  geometry: Geometry,
  { values, grid, input }: DepthMap,
  x: number,
  y: number,
): number {
  const taps = tapsOf(geometry, input, grid);
  const [across, down] = [taps.across(x), taps.down(y)];
  const mixed = (row: number): number => {
    const cell = (column: number): number => values[row * grid.width + column] ?? Number.NaN;
    return (1 - across.fraction) * cell(across.first) + across.fraction * cell(across.second);
  };
  return Math.fround((1 - down.fraction) * mixed(down.first) + down.fraction * mixed(down.second));
}

/** Returns the cells that each column and row of the source is between. */
export function mapTaps(geometry: Geometry, input: Size, grid: Size): { columns: MapTap[]; rows: MapTap[] } {
  const { across, down } = tapsOf(geometry, input, grid);
  const { width, height } = geometry.source;
  return {
    columns: Array.from({ length: width }, (_, x) => across(x)),
    rows: Array.from({ length: height }, (_, y) => down(y)),
  };
}

/** Returns the tap functions of the source's columns and rows. */
function tapsOf(
  { left, top, width, height, source }: Geometry,
  input: Size,
  grid: Size,
): Record<"across" | "down", (index: number) => MapTap> {
  return {
    across: tapping({ start: left, drawn: width, size: source.width }, input.width, grid.width),
    down: tapping({ start: top, drawn: height, size: source.height }, input.height, grid.height),
  };
}

/** Bytes of four lanes. */
const LANES_BYTES = 16;

export interface Extent {
  min: number;
  max: number;
}

/** The number of elements that the kernel processes at a time. */
const PART = 1 << 14;

/** Returns the minimum and maximum finite value, NaN if there is none. */
export function extent(map: Float32Array): Extent {
  return extentOf([map]);
}

/** Like extent(), for a map that is read in parts, such as rows. */
export function extentOf(parts: Iterable<Float32Array>): Extent {
  const kernel = RowKernel.borrow(PART * 4 + 2 * LANES_BYTES);
  try {
    const values = new Float32Array(kernel.buffer, kernel.allot(PART * 4), PART);
    const [least, most] = [kernel.allot(LANES_BYTES), kernel.allot(LANES_BYTES)];
    const lanes = (address: number): Float32Array => new Float32Array(kernel.buffer, address, 4);
    lanes(least).fill(Number.POSITIVE_INFINITY);
    lanes(most).fill(Number.NEGATIVE_INFINITY);
    for (const part of parts) {
      for (let from = 0; from < part.length; from += PART) {
        const some = part.subarray(from, from + PART);
        const bytes = aligned(some.length * 4);
        values.set(some);
        values.fill(Number.NaN, some.length, bytes / 4);
        kernel.run.widenFinite(values.byteOffset, values.byteOffset + bytes, least, most);
      }
    }
    const [min, max] = [Math.min(...lanes(least)), Math.max(...lanes(most))];
    return min <= max ? { min, max } : { min: Number.NaN, max: Number.NaN };
  } finally {
    kernel.giveBack();
  }
}

/** Returns a warning if the map is constant: it does not depend on the picture. */
export function depthWarnings({ min, max }: Extent): Warning[] {
  if (min < max) return [];
  const what = Number.isNaN(min) ? "has no finite value" : `is ${min} everywhere`;
  const fix = 'give a picture that shows something, compare with { backend: "wasm" }, run `webbuild verify`';
  return [{ code: "flat-depth", message: `the depth map ${what}: do not trust this result`, fix }];
}

interface PictureSpan {
  start: number;
  drawn: number;
  size: number;
}

/**
 * Returns the function from a pixel along a side of the source to its tap. Outside of the input the fraction
 * is NaN.
 */
function tapping(
  { start, drawn, size }: PictureSpan,
  input: number,
  grid: number,
): (index: number) => MapTap {
  const cell = (edge: number): number => Math.ceil((edge * grid) / input - 0.5);
  const least = Math.min(cell(Math.max(start, 0)), grid - 1);
  const most = Math.max(least, cell(Math.min(start + drawn, input)) - 1);
  return (index) => {
    const place = start + ((index + 0.5) * drawn) / size;
    const inside = place >= 0 && place <= input;
    const position = Math.min(Math.max((place * grid) / input - 0.5, least), most);
    const first = Math.floor(position);
    return { first, second: Math.min(first + 1, most), fraction: inside ? position - first : Number.NaN };
  };
}
