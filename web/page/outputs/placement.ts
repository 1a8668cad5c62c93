// The placement of an output over the picture: it covers the model's input, which contains the picture, or is a part of it.

import type { ImageInput } from "../../src/manifest/manifest.js";
import { type Geometry, placePicture, planeSize } from "../../src/preprocess/letterbox.js";
import { mapTaps } from "../../src/tasks/depth/depth-map.js";
import type { MapTap } from "../../src/tasks/depth/map-reader.js";
import type { Size } from "../drawing/fit.js";
import type { Unit } from "./units.js";

export interface Placement {
  geometry: Geometry;
  input: Size;
}

export interface Point {
  x: number;
  y: number;
}

export function placementOf({ width, height }: Size, input: ImageInput): Placement {
  return { geometry: placePicture({ width, height }, input), input: planeSize(input) };
}

/** Returns the picture's size in cells of a map. */
export function sizeInCells(map: Size, { geometry, input }: Placement): Size {
  return {
    width: Math.max(1, Math.round((geometry.width * map.width) / input.width)),
    height: Math.max(1, Math.round((geometry.height * map.height) / input.height)),
  };
}

/** Returns the nearest map cell of each column and row of the picture drawn at `size`; -1 outside the input. */
export function nearestCells(
  map: Size,
  { geometry, input }: Placement,
  size: Size,
): { columns: Int32Array; rows: Int32Array } {
  const taps = mapTaps({ ...geometry, source: size }, input, map);
  const nearest = ({ first, second, fraction }: MapTap): number =>
    Number.isNaN(fraction) ? -1 : fraction < 0.5 ? first : second;
  return {
    columns: Int32Array.from(taps.columns, nearest),
    rows: Int32Array.from(taps.rows, nearest),
  };
}

/** Returns the map cell at a point of the picture; null outside the picture or the input. */
export function cellOf(map: Size, { geometry, input }: Placement, { x, y }: Point): number | null {
  const { source, left, top, width, height } = geometry;
  if (x < 0 || y < 0 || x >= source.width || y >= source.height) return null;
  const column = Math.floor(((left + (x * width) / source.width) * map.width) / input.width);
  const row = Math.floor(((top + (y * height) / source.height) * map.height) / input.height);
  const inside = column >= 0 && row >= 0 && column < map.width && row < map.height;
  return inside ? row * map.width + column : null;
}

/** Maps a point from the input to pixels of the picture. */
export function onPicture({ geometry, input }: Placement, { x, y }: Point, unit: Unit): Point {
  const { source, left, top, width, height } = geometry;
  const whole = unit === "parts" ? { width: 1, height: 1 } : unit === "pixels" ? input : unit;
  return {
    x: (((x * input.width) / whole.width - left) * source.width) / width,
    y: (((y * input.height) / whole.height - top) * source.height) / height,
  };
}
