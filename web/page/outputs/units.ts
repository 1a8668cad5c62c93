// What points and boxes are measured in.

import type { Size } from "../drawing/fit.js";
import type { Rows } from "./axes.js";
import { looked, most, numberAt, shareOf, spread, type Values } from "./behaviour.js";

/** What points and boxes are measured in: pixels of the model's input, parts of it, or cells of a map of a size. */
export type Unit = "pixels" | "parts" | Size;

/** What x and y in the first two columns are measured in; null where they are no points of the input. */
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

/** The map, of some, whose cells the rows are: whole numbers that all lie in it; `flipped` where only as y, x. */
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

/** What (x1, y1, x2, y2) in the first four columns are measured in; null where they are no boxes. Rows of zeros are padding. */
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

/** Parts are tried first: within pixels they lie too. */
function unitOf(
  share: (width: number, height: number) => number,
  { width, height }: Size,
): "pixels" | "parts" | null {
  if (share(1, 1) >= most) return "parts";
  return share(width, height) >= most ? "pixels" : null;
}
