// Refines a heatmap's cell to subpixels: same as webbuild/tasks/decoding/heatmap_refinement.py.

import type { HeatmapHead } from "../../manifest/manifest.js";

/** The heatmap of a keypoint, row by row. */
interface Heatmap {
  values: Float32Array;
  rows: number;
  columns: number;
}

type Cell = readonly [x: number, y: number];

/** The value that UDP adds to the Hessian's diagonal: float32's epsilon. */
const EPSILON = 2 ** -23;

export function refineCell(head: HeatmapHead, map: Heatmap, cell: Cell): [number, number] {
  switch (head.refine) {
    case "none":
      return [...cell];
    case "shift":
      return shift(map, cell);
    case "dark":
    case "udp":
      return newton(head, map, cell);
    default:
      return head.refine satisfies never;
  }
}

function shift(map: Heatmap, [x, y]: Cell): [number, number] {
  const { rows, columns } = map;
  const across = x > 1 && x < columns - 1 && y > 0;
  const down = y > 1 && y < rows - 1 && x > 0;
  return [
    x + (across ? 0.25 * Math.sign(at(map, x + 1, y) - at(map, x - 1, y)) : 0),
    y + (down ? 0.25 * Math.sign(at(map, x, y + 1) - at(map, x, y - 1)) : 0),
  ];
}

/** Returns cell - H^-1 g, with gradient g and Hessian H of the blurred map's logarithm. */
function newton(head: HeatmapHead, map: Heatmap, [x, y]: Cell): [number, number] {
  const { rows, columns } = map;
  const dark = head.refine === "dark";
  if (dark && (x <= 1 || x >= columns - 2 || y <= 1 || y >= rows - 2)) return [x, y];
  const kernel = gaussian(head);
  const [low, high] = dark ? [1e-10, Number.POSITIVE_INFINITY] : [0.001, 50];
  const value = (dx: number, dy: number): number => {
    const column = clamp(x + dx, columns - 1);
    const row = clamp(y + dy, rows - 1);
    return Math.log(Math.min(Math.max(blurred(head, kernel, map, column, row), low), high));
  };
  const middle = value(0, 0);
  const [right, left, below, above] = [value(1, 0), value(-1, 0), value(0, 1), value(0, -1)];
  const gx = (right - left) / 2;
  const gy = (below - above) / 2;
  const xx = dark ? (value(2, 0) - 2 * middle + value(-2, 0)) / 4 : right - 2 * middle + left + EPSILON;
  const yy = dark ? (value(0, 2) - 2 * middle + value(0, -2)) / 4 : below - 2 * middle + above + EPSILON;
  const xy = dark
    ? (value(1, 1) - value(1, -1) - value(-1, 1) + value(-1, -1)) / 4
    : (value(1, 1) - (right + below + left + above) + 2 * middle + value(-1, -1)) / 2;
  const determinant = xx * yy - xy * xy;
  if (determinant === 0) return [x, y];
  return [x - (yy * gx - xy * gy) / determinant, y - (xx * gy - xy * gx) / determinant];
}

/** Returns the weights of a Gaussian, cut off at the radius, with a sum of 1. */
function gaussian({ sigma, radius }: HeatmapHead): number[] {
  const weights = Array.from({ length: 2 * radius + 1 }, (_, index) =>
    Math.exp(-0.5 * ((index - radius) / sigma) ** 2),
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

function blurred(
  { radius, border }: HeatmapHead,
  kernel: readonly number[],
  map: Heatmap,
  x: number,
  y: number,
): number {
  let sum = 0;
  for (const [j, down] of kernel.entries()) {
    const row = mirrored(border, y + j - radius, map.rows);
    if (row === null) continue;
    let line = 0;
    for (const [i, across] of kernel.entries()) {
      const column = mirrored(border, x + i - radius, map.columns);
      if (column !== null) line += across * (map.values[row * map.columns + column] ?? Number.NaN);
    }
    sum += down * line;
  }
  return sum;
}

/** Returns the position within `size` that `place` maps to at the border; null for a zero. */
function mirrored(border: HeatmapHead["border"], place: number, size: number): number | null {
  if (place >= 0 && place < size) return place;
  if (border === "zero") return null;
  if (size === 1) return 0;
  const period = border === "symmetric" ? 2 * size : 2 * size - 2;
  const within = ((place % period) + period) % period;
  return within < size ? within : period - (border === "symmetric" ? 1 : 0) - within;
}

/** Returns the value of a cell; outside of the map, of the nearest cell. */
function at({ values, rows, columns }: Heatmap, x: number, y: number): number {
  return values[clamp(y, rows - 1) * columns + clamp(x, columns - 1)] ?? Number.NaN;
}

function clamp(place: number, most: number): number {
  return Math.min(Math.max(place, 0), most);
}
