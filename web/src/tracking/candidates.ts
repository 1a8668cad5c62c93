// Which detections a track may be matched with, and at what cost: those that overlap it, so that few pairs are looked at.

import type { Row } from "./assignment.js";
import { halfSides, overlapOf, type TrackedBox } from "./tracked-box.js";

/** A row keeps so many of its best: more overlap one box only in a heap of boxes that are nearly the same. */
const MOST = 64;
/** It looks at so many that overlap it: thousands on one heap must not hang the page. */
const MOST_LOOKED_AT = 1024;

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
  const sorted = columns.map(placed).sort((a, b) => a.left - b.left);
  const widest = sorted.reduce((most, { left, right }) => Math.max(most, right - left), 0);
  return rows.map((row, index) => {
    const { left, right, top, bottom } = placed(row, index);
    const found: { column: number; cost: number }[] = [];
    let lookedAt = 0;
    for (let place = firstFrom(sorted, left - widest); place < sorted.length; place++) {
      const other = sorted[place];
      if (other === undefined || other.left >= right) break;
      if (other.right <= left || other.top >= bottom || other.bottom <= top) continue;
      if (other.classIndex !== row.classIndex) continue;
      if (++lookedAt > MOST_LOOKED_AT) break;
      const costs = cost(overlapOf(row.box, other.box), other.index);
      if (costs < limit) found.push({ column: other.index, cost: costs });
      if (found.length === 2 * MOST) keepBest(found);
    }
    if (found.length > MOST) keepBest(found);
    return found;
  });
}

interface Placed extends Candidate {
  index: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

function placed({ box, classIndex }: Candidate, index: number): Placed {
  const { across, down } = halfSides(box);
  const { x, y } = box;
  return {
    box,
    classIndex,
    index,
    left: x - across,
    right: x + across,
    top: y - down,
    bottom: y + down,
  };
}

function firstFrom(sorted: readonly Placed[], left: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.left ?? 0) < left) low = middle + 1;
    else high = middle;
  }
  return low;
}

function keepBest(found: { column: number; cost: number }[]): void {
  found.sort((a, b) => a.cost - b.cost).length = MOST;
}
