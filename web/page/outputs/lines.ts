// Line segments: rows of two ends, or rows of midpoints with a map of the offsets to both ends.

import type { Tensors } from "../../src/index.js";
import { type Planes, planesOf, type Rows } from "./axes.js";
import { numberAt, type Values } from "./behaviour.js";
import { onPicture, type Placement, type Point } from "./placement.js";
import { mark, mostPoints, paintPoints } from "./points.js";
import type { Unit } from "./units.js";

/** The names of the output with the offsets to the ends, and of the output with the scores. */
interface Field {
  name: string;
  scores: string | null;
}

/** With a field a row is a midpoint, `flipped` if it is y, x; without a field it is x1, y1, x2, y2. */
export interface Segments {
  rows: Rows;
  unit: Unit;
  field: Field | null;
  flipped: boolean;
}

export type Segment = readonly [Point, Point];

/** Lines below this score, or shorter than this fraction of the input, are not drawn. */
const leastScore = 0.2;
const leastLength = 0.05;

/** Returns the lines in pixels of the picture, without those of a low score or hardly longer than a point. */
export function segments(
  data: Values,
  { rows, unit, field, flipped }: Segments,
  outputs: Tensors,
  placement: Placement,
): Segment[] {
  const tensor = field === null ? undefined : outputs[field.name];
  const planes = tensor && planesOf(tensor.dims, placement.input);
  if (field !== null && !planes) return [];
  const scores = field?.scores ? outputs[field.scores] : undefined;
  const lines = tensor && planes ? ends(data, rows, flipped, tensor.data, planes) : rowEnds(data, rows);
  const whole = typeof unit === "string" ? placement.input : unit;
  const least = unit === "parts" ? leastLength : leastLength * Math.max(whole.width, whole.height);
  return lines
    .filter((_, row) => scores === undefined || numberAt(scores.data, row) >= leastScore)
    .filter(([from, to]) => Math.hypot(from.x - to.x, from.y - to.y) >= least)
    .map(([from, to]): Segment => [onPicture(placement, from, unit), onPicture(placement, to, unit)])
    .slice(0, mostPoints);
}

function rowEnds(data: Values, { count, columns }: Rows): Segment[] {
  return Array.from({ length: count }, (_, row): Segment => {
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = [0, 1, 2, 3].map((column) =>
      numberAt(data, row * columns + column),
    );
    return [
      { x: x1, y: y1 },
      { x: x2, y: y2 },
    ];
  });
}

export function paintLines(lines: readonly Segment[], placement: Placement): Promise<ImageBitmap> {
  const marks = lines.flat().map((point, index) => mark(point, index, 1));
  return paintPoints(
    marks,
    placement,
    lines.map((_, index) => [2 * index, 2 * index + 1]),
  );
}

/** Returns the ends of the lines with these midpoints, in cells of the field. */
export function ends(
  data: Values,
  { count }: Rows,
  flipped: boolean,
  field: Values,
  planes: Planes,
): Segment[] {
  return Array.from({ length: count }, (_, row): Segment => {
    const [first, second] = [numberAt(data, 2 * row), numberAt(data, 2 * row + 1)];
    const [x, y] = flipped ? [second, first] : [first, second];
    const cell = (y * planes.width + x) * planes.step;
    const [left = 0, top = 0, right = 0, bottom = 0] = [0, 1, 2, 3].map((channel) =>
      numberAt(field, cell + channel * planes.stride),
    );
    return [
      { x: x + left, y: y + top },
      { x: x + right, y: y + bottom },
    ];
  });
}
