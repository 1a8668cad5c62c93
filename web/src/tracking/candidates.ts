// Which detections a track may be matched with, and at what cost: those that overlap it, so that few pairs are looked at.

import type { Box } from "../api/types.js";
import { OverlappingBoxes } from "../suppression/overlapping-boxes.js";
import type { Row } from "./assignment.js";
import { halfSides, overlapOf, type TrackedBox } from "./tracked-box.js";

/** A row keeps so many of its best: more overlap one box only in a heap of boxes that are nearly the same. */
const MOST = 64;
/** It looks at so many that overlap it: thousands on one heap must not hang the page. */
const MOST_LOOKED_AT = 256;

export interface Candidate {
  box: TrackedBox;
  classIndex: number;
}

/**
 * Returns for each of `rows` the `columns` of its class that cost less than `limit`. A pair whose upright boxes do not
 * overlap is none.
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

/** The upright box around it. */
function around(box: TrackedBox): Box {
  const { across, down } = halfSides(box);
  const { x, y } = box;
  return { x1: x - across, y1: y - down, x2: x + across, y2: y + down };
}
