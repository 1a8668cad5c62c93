// Finds the detections that a track may be matched with, and their costs: only overlapping ones, so that few
// pairs are compared.

import type { Box } from "../api/types.js";
import { OverlappingBoxes } from "../suppression/overlapping-boxes.js";
import type { Row } from "./assignment.js";
import { halfSides, overlapOf, type TrackedBox } from "./tracked-box.js";

/** A row keeps at most this many of its best: more overlap one box only if many boxes are nearly the same. */
const MOST = 64;
/** At most this many overlapping boxes are compared, so that thousands of them do not hang the page. */
const MOST_LOOKED_AT = 256;

export interface Candidate {
  box: TrackedBox;
  classIndex: number;
}

/**
 * Returns for each of `rows` the `columns` of its class that cost less than `limit`. Pairs whose upright
 * boxes do not overlap are skipped.
 */
export function candidates(
  rows: readonly Candidate[],
  columns: readonly Candidate[],
  limit: number,
  cost: (overlap: number, column: number) => number,
): Row[] {
  const overlapping = new OverlappingBoxes(columns.map(({ box }) => around(box)));
  return rows.map(({ box, classIndex }) => {
    const found: { column: number; cost: number }[] = [];
    let lookedAt = 0;
    overlapping.visit(around(box), (column) => {
      const other = columns[column];
      if (other === undefined || other.classIndex !== classIndex) return true;
      const costs = cost(overlapOf(box, other.box), column);
      if (costs < limit) found.push({ column, cost: costs });
      return ++lookedAt < MOST_LOOKED_AT;
    });
    if (found.length > MOST) found.sort((a, b) => a.cost - b.cost).length = MOST;
    return found;
  });
}

/** Returns the upright box around a tracked box. */
function around(box: TrackedBox): Box {
  const { across, down } = halfSides(box);
  const { x, y } = box;
  return { x1: x - across, y1: y - down, x2: x + across, y2: y + down };
}
