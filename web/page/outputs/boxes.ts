// Interprets rows of an output as boxes: x1, y1, x2, y2, then a score and a class if the values look like them.

import type { Detection } from "../../src/index.js";
import { detectionRows } from "../results/detection-rows.js";
import type { DetectionStyle } from "../results/detections.js";
import type { ResultRow } from "../results/result-list.js";
import type { Rows } from "./axes.js";
import { numberAt, type Values } from "./behaviour.js";
import { onPicture, type Placement } from "./placement.js";
import type { Unit } from "./units.js";

/** At most this many boxes are drawn, and none below this score. */
const mostBoxes = 100;
const leastScore = 0.25;
/** The number of rows that are searched. */
const mostRows = 10_000;

/** Returns the boxes, best first if they have scores. A box without a score has NaN. */
export function rowBoxes(
  data: Values,
  { count, columns }: Rows,
  unit: Unit,
  placement: Placement,
): Detection[] {
  const rows = Array.from({ length: Math.min(count, mostRows) }, (_, row) =>
    Array.from({ length: Math.min(columns, 6) }, (_, column) => numberAt(data, row * columns + column)),
  ).filter((row) => row.some((value) => value !== 0));
  const scored = columns > 4 && rows.every((row) => isShare(row[4]));
  const classed = columns === 6 && rows.every((row) => Number.isInteger(row[5]) && (row[5] ?? -1) >= 0);
  const boxes = rows.map(([x1 = 0, y1 = 0, x2 = 0, y2 = 0, score = 0, index = 0], row): Detection => {
    const [from, to] = [
      onPicture(placement, { x: x1, y: y1 }, unit),
      onPicture(placement, { x: x2, y: y2 }, unit),
    ];
    return {
      box: { x1: from.x, y1: from.y, x2: to.x, y2: to.y },
      score: scored ? score : Number.NaN,
      classIndex: classed ? index : 0,
      label: classed ? `class ${index}` : `row ${row}`,
    };
  });
  const good = boxes.filter(({ box, score }) => box.x2 > box.x1 && box.y2 > box.y1 && !(score < leastScore));
  if (scored) good.sort((a, b) => b.score - a.score);
  return good.slice(0, mostBoxes);
}

/** Each class has its colour, also boxes without a class. */
export const boxStyle: DetectionStyle = { classes: ["", ""] };

export function boxRows(boxes: readonly Detection[]): ResultRow[] {
  const rows = detectionRows(boxes, boxStyle);
  return rows.map((row) => (Number.isNaN(row.share) ? { ...row, share: 1, value: "" } : row));
}

function isShare(value: number | undefined): boolean {
  return value !== undefined && value >= 0 && value <= 1;
}
