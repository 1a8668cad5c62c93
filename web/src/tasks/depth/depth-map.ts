// A map over the model's input into a map over the source picture.

import type { Warning } from "../../api/types.js";
import type { Geometry, Size } from "../../preprocess/letterbox.js";

/** The elements of a map in row-major order, its size, and that of the input it covers. */
export interface DepthMap {
  values: Float32Array;
  grid: Size;
  input: Size;
}

/** Reads the map at the centre of every pixel of the source, see DepthTask. NaN where the model saw nothing. */
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

/** The same row by row, for who needs no more than one at a time: each is written over the one before. */
export function* readRows(geometry: Geometry, map: DepthMap): Generator<Float32Array<ArrayBuffer>> {
  const { columns, rows } = mapTaps(geometry, map.input, map.grid);
  const read = new Float32Array(columns.length);
  // Many rows of a large picture lie between the same two of the map.
  const lines = new Map<number, Float64Array>();
  const lineOf = (row: number): Float64Array => {
    const line = lines.get(row) ?? readLine(map, columns, row);
    lines.set(row, line);
    return line;
  };
  for (const { first, second, fraction } of rows) {
    for (const row of lines.keys()) if (row < first) lines.delete(row);
    mixLines(lineOf(first), lineOf(second), fraction, read);
    yield read;
  }
}

/** The same at one pixel of the source. */
export function readPixel(geometry: Geometry, map: DepthMap, x: number, y: number): number {
  const { across, down } = tapsOf(geometry, map.input, map.grid);
  const column = [across(x)];
  const { first, second, fraction } = down(y);
  const read = new Float32Array(1);
  mixLines(readLine(map, column, first), readLine(map, column, second), fraction, read);
  return at(read, 0);
}

/** A row of the map at the columns of the source. */
function readLine({ values, grid }: DepthMap, columns: readonly MapTap[], row: number): Float64Array {
  const start = row * grid.width;
  const line = new Float64Array(columns.length);
  let to = 0;
  for (const { first, second, fraction } of columns)
    line[to++] = (1 - fraction) * at(values, start + first) + fraction * at(values, start + second);
  return line;
}

function mixLines(above: Float64Array, below: Float64Array, fraction: number, into: Float32Array): void {
  const rest = 1 - fraction;
  for (let x = 0; x < into.length; x++) into[x] = rest * at(above, x) + fraction * at(below, x);
}

/** Returns which cells each column and row of the source lies between. */
export function mapTaps(geometry: Geometry, input: Size, grid: Size): { columns: MapTap[]; rows: MapTap[] } {
  const { across, down } = tapsOf(geometry, input, grid);
  const { width, height } = geometry.source;
  return {
    columns: Array.from({ length: width }, (_, x) => across(x)),
    rows: Array.from({ length: height }, (_, y) => down(y)),
  };
}

/** The same for a column, and for a row, of the source. */
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

export interface Extent {
  min: number;
  max: number;
}

/** Returns the least and the largest finite value, NaN where there is none. */
export function extent(map: Float32Array): Extent {
  return extentOf([map]);
}

/** The same of a map that is read row by row. */
export function extentOf(rows: Iterable<Float32Array>): Extent {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const row of rows) {
    for (const value of row) {
      if (!Number.isFinite(value)) continue;
      if (value < min) min = value;
      if (value > max) max = value;
    }
  }
  return min <= max ? { min, max } : { min: Number.NaN, max: Number.NaN };
}

/** A map that is the same everywhere says nothing of any picture. */
export function depthWarnings({ min, max }: Extent): Warning[] {
  if (min < max) return [];
  const what = Number.isNaN(min) ? "has no number in it" : `is ${min} everywhere`;
  const fix = 'give a picture that shows something, compare with { backend: "wasm" }, run `webbuild verify`';
  return [{ code: "flat-depth", message: `the depth map ${what}: this answer says nothing`, fix }];
}

/** The two cells that a pixel lies between, and how far it is from the first to the second: NaN outside of the input. */
export interface MapTap {
  first: number;
  second: number;
  fraction: number;
}

interface PictureSpan {
  start: number;
  drawn: number;
  size: number;
}

/** Gives the tap of a pixel of a side of the source. The fraction is NaN for one outside of the input. */
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

function at(values: Float32Array | Float64Array, index: number): number {
  return values[index] ?? Number.NaN;
}
