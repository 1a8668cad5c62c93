// Decides from the values whether points are midpoints of lines (with a map of offsets), or rows are ends of lines.

import type { TensorData, Tensors } from "../../src/index.js";
import type { Size } from "../drawing/fit.js";
import { lengthOf, type Planes, planesOf, type Rows } from "./axes.js";
import { numberAt, spread, type Values } from "./behaviour.js";
import { ends, type Segment, type Segments } from "./lines.js";
import type { Point } from "./placement.js";

/** A model outputs at most this many lines. */
const mostRows = 1000;
const looked = 1024;

/** Returns the sizes of maps with the input's aspect ratio that are smaller than the input. */
export function smallMaps(outputs: Tensors, input: Size): Size[] {
  return Object.values(outputs).flatMap(({ dims }) => {
    const planes = planesOf(dims, input);
    return planes?.explicit && planes.fits && planes.width < input.width
      ? [{ width: planes.width, height: planes.height }]
      : [];
  });
}

/** Returns line segments if the points are cells of four maps with about opposite offsets to both ends; else null. */
export function linesInField(
  data: Values,
  rows: Rows,
  unit: Size,
  outputs: Tensors,
  input: Size,
): Segments | null {
  if (rows.columns !== 2) return null;
  for (const [name, tensor] of Object.entries(outputs)) {
    const planes = planesOf(tensor.dims, input);
    const same = planes?.channels === 4 && planes.width === unit.width && planes.height === unit.height;
    if (!same || !hasTwoSides(tensor.data, planes)) continue;
    const inside = [false, true].map((flipped) =>
      shareInside(ends(data, rows, flipped, tensor.data, planes), planes),
    );
    // Cells are usually given as row, column.
    const flipped = (inside[1] ?? 0) >= (inside[0] ?? 0);
    const scores =
      Object.entries(outputs).find(([, other]) => areConfidences(other, rows.count))?.[0] ?? null;
    return { rows, unit, field: { name, scores }, flipped };
  }
  return null;
}

/** Whether the first two maps (x, y) are about the negative of the other two. */
function hasTwoSides(data: Values, { width, height, step, stride }: Planes): boolean {
  let [sum, difference] = [0, 0];
  for (const cell of spread(width * height, looked))
    for (const axis of [0, 1]) {
      const one = numberAt(data, cell * step + axis * stride);
      const other = numberAt(data, cell * step + (axis + 2) * stride);
      sum += Math.abs(one + other);
      difference += Math.abs(one - other);
    }
  return difference > 0 && sum < difference / 4;
}

function areConfidences({ dims, data }: TensorData, count: number): boolean {
  if (lengthOf(dims) !== count) return false;
  const values = Array.from({ length: count }, (_, index) => numberAt(data, index));
  return values.every((value) => value >= 0 && value <= 1);
}

/** Whether rows are x1, y1, x2, y2 of lines: in pixels of the input, unordered, and not centres and sizes of boxes. */
export function areEnds(data: Values, { count, columns }: Rows, { width, height }: Size): boolean {
  if (count > mostRows) return false;
  const rows = Array.from({ length: count }, (_, row) =>
    [0, 1, 2, 3].map((column) => numberAt(data, row * columns + column)),
  ).filter((row) => row.some((value) => value !== 0));
  const share = (holds: (x1: number, y1: number, x2: number, y2: number) => boolean): number =>
    rows.filter(([x1 = 0, y1 = 0, x2 = 0, y2 = 0]) => holds(x1, y1, x2, y2)).length / rows.length;
  const within = (x: number, y: number): boolean => x >= 0 && y >= 0 && x <= width && y <= height;
  const inside = share((x1, y1, x2, y2) => within(x1, y1) && within(x2, y2));
  const ordered = share((x1, y1, x2, y2) => x2 >= x1 && y2 >= y1);
  const centred = share(
    (x, y, across, along) => within(x - across / 2, y - along / 2) && within(x + across / 2, y + along / 2),
  );
  const pixels = rows.some((row) => row.some((value) => value > 2));
  return rows.length > 1 && pixels && inside >= 0.9 && ordered > 0.1 && ordered < 0.9 && centred < 0.6;
}

function shareInside(lines: readonly Segment[], { width, height }: Size): number {
  const inside = ({ x, y }: Point): boolean => x >= -1 && y >= -1 && x <= width && y <= height;
  return lines.filter((line) => line.every(inside)).length / lines.length;
}
