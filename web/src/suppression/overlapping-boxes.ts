// Finds the boxes that overlap a box without testing all: sorted by the axis that separates them best.

import type { Box } from "../api/types.js";

/** An axis: the fields of a box's start and end on it. */
type Axis = readonly ["x1", "x2"] | readonly ["y1", "y2"];

export class OverlappingBoxes {
  readonly #axis: Axis;
  /** x1 y1 x2 y2 and the index of each box, sorted by its start on the axis. */
  readonly #sides: Float64Array;
  readonly #numbers: Uint32Array;
  readonly #starts: Float64Array;
  readonly #longest: number;

  /** A box with a coordinate that is NaN overlaps no other. */
  constructor(boxes: readonly Box[]) {
    const usable = boxes.flatMap((box, number) => (isNumbers(box) ? [{ box, number }] : []));
    const across = lengthsAlong(usable, ["x1", "x2"]);
    const down = lengthsAlong(usable, ["y1", "y2"]);
    const { axis, longest } = across.share <= down.share ? across : down;
    const [start] = axis;
    usable.sort((first, second) => first.box[start] - second.box[start]);
    this.#axis = axis;
    this.#longest = longest;
    this.#numbers = Uint32Array.from(usable, ({ number }) => number);
    this.#starts = Float64Array.from(usable, ({ box }) => box[start]);
    this.#sides = Float64Array.from(usable.flatMap(({ box: { x1, y1, x2, y2 } }) => [x1, y1, x2, y2]));
  }

  /**
   * Calls `visit` with the index of each box that has an area in common with this one, until it returns
   * false.
   */
  visit(box: Box, visit: (number: number) => unknown): void {
    const [start, end] = this.#axis;
    const { x1, y1, x2, y2 } = box;
    const sides = this.#sides;
    for (let place = this.#firstFrom(box[start] - this.#longest); place < this.#starts.length; place++) {
      if ((this.#starts[place] ?? 0) >= box[end]) return;
      const at = place * 4;
      if (!((sides[at] ?? 0) < x2 && (sides[at + 1] ?? 0) < y2)) continue;
      if (!((sides[at + 2] ?? 0) > x1 && (sides[at + 3] ?? 0) > y1)) continue;
      if (visit(this.#numbers[place] ?? 0) === false) return;
    }
  }

  /** Returns the first position whose start is at or after a coordinate. */
  #firstFrom(coordinate: number): number {
    let [from, end] = [0, this.#starts.length];
    while (from < end) {
      const middle = (from + end) >> 1;
      if ((this.#starts[middle] ?? 0) < coordinate) from = middle + 1;
      else end = middle;
    }
    return from;
  }
}

function isNumbers({ x1, y1, x2, y2 }: Box): boolean {
  return Number.isFinite(x1 + y1 + x2 + y2);
}

/**
 * Returns the length of the longest box along an axis, and its share of the whole span: the share of boxes to
 * test.
 */
function lengthsAlong(
  boxes: readonly { box: Box }[],
  axis: Axis,
): { axis: Axis; longest: number; share: number } {
  let [first, last, longest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (const { box } of boxes) {
    const [start, end] = [box[axis[0]], box[axis[1]]];
    first = Math.min(first, start);
    last = Math.max(last, end);
    longest = Math.max(longest, end - start);
  }
  return { axis, longest, share: longest / (last - first) || 0 };
}
