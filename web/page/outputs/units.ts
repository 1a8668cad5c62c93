// Infers the unit of points and boxes from their values.

import type { Size } from "../drawing/fit.js";
import type { Rows } from "./axes.js";
import { looked, most, numberAt, shareOf, spread, type Values } from "./behaviour.js";

/** The unit of points and boxes: pixels of the model's input, fractions of it (0..1), or cells of a map of this size. */
export type Unit = "pixels" | "parts" | Size;

/** Returns the unit of x and y in the first two columns; null if they are not points of the input. */
export function pointUnit(data: Values, { count, columns }: Rows, input: Size): "pixels" | "parts" | null {
  const points = spread(count, looked).map((row): [number, number] => [
    numberAt(data, row * columns),
    numberAt(data, row * columns + 1),
  ]);
  if (points.every(([x, y]) => x === points[0]?.[0] && y === points[0][1])) return null;
  if (columns === 2 && shareOf(points, ([x, y]) => Math.abs(x + y - 1) < 0.001) > most) return null;
  return unitOf(
    (width, height) => shareOf(points, ([x, y]) => x >= 0 && y >= 0 && x <= width && y <= height),
    input,
  );
}

/** Returns the map that has all rows as integer cells; `flipped` if they fit only as y, x. */
export function cellsOf(
  data: Values,
  { count, columns }: Rows,
  maps: readonly Size[],
): { map: Size; flipped: boolean } | null {
  const points = spread(count, looked).map((row) =>
    [0, 1].map((column) => numberAt(data, row * columns + column)),
  );
  const [first, second] = [0, 1].map((axis) => Math.max(...points.map((point) => point[axis] ?? 0)));
  if (first === undefined || second === undefined || Math.max(first, second) < 2) return null;
  if (points.every(([x, y]) => x === points[0]?.[0] && y === points[0]?.[1])) return null;
  if (!points.flat().every((value) => Number.isInteger(value) && value >= 0)) return null;
  const holds = ({ width, height }: Size, x: number, y: number): boolean => x < width && y < height;
  const map = maps.find((each) => holds(each, first, second) || holds(each, second, first));
  return map ? { map, flipped: !holds(map, first, second) } : null;
}

/** Returns the unit of (x1, y1, x2, y2) in the first four columns; null if they are not boxes. Rows of zeros are padding. */
export function boxUnit(data: Values, { count, columns }: Rows, input: Size): Unit | null {
  const all = spread(count, looked).map((row) =>
    Array.from({ length: 4 }, (_, column) => numberAt(data, row * columns + column)),
  );
  const boxes = all.filter((box) => box.some((value) => value !== 0));
  return unitOf(
    (width, height) =>
      shareOf(boxes, ([x1 = 0, y1 = 0, x2 = 0, y2 = 0]) => {
        const [across, along] = [width / 20, height / 20];
        const inside = x1 >= -across && y1 >= -along && x2 <= width + across && y2 <= height + along;
        return inside && x2 >= x1 && y2 >= y1;
      }),
    input,
  );
}

/** Tries fractions first, since they are also within the range of pixels. */
function unitOf(
  share: (width: number, height: number) => number,
  { width, height }: Size,
): "pixels" | "parts" | null {
  if (share(1, 1) >= most) return "parts";
  return share(width, height) >= most ? "pixels" : null;
}
