// The boxes that match a box, without looking at all of them: those that begin near it, by their left edges.

import type { Box } from "../api/types.js";
import { type MatchRules, matchesRounded } from "./match.js";

export class Neighbours {
  readonly #boxes: readonly Box[];
  readonly #rules: MatchRules;
  /** The numbers of the boxes by their left edges, and these. */
  readonly #byLeft: Uint32Array;
  readonly #lefts: Float32Array;
  readonly #taken: Uint8Array;
  readonly #widest: number;

  /** Matches are found in float32, as SAHI finds them. */
  constructor(boxes: readonly Box[], { metric, threshold }: MatchRules) {
    this.#boxes = boxes.map(({ x1, y1, x2, y2 }) => ({
      x1: Math.fround(x1),
      y1: Math.fround(y1),
      x2: Math.fround(x2),
      y2: Math.fround(y2),
    }));
    this.#rules = { metric, threshold: Math.fround(threshold) };
    const left = (at: number): number => this.#boxes[at]?.x1 ?? 0;
    this.#byLeft = Uint32Array.from(boxes.keys()).sort((a, b) => left(a) - left(b));
    this.#lefts = Float32Array.from(this.#byLeft, left);
    this.#taken = new Uint8Array(boxes.length);
    this.#widest = this.#boxes.reduce((most, { x1, x2 }) => Math.max(most, x2 - x1), 0);
  }

  /** Whether nobody has taken the box yet. */
  isLeft(at: number): boolean {
    return this.#taken[at] === 0;
  }

  /** Takes a box, and all that match it of those that are left: their numbers, in rising order. */
  take(at: number): number[] {
    this.#taken[at] = 1;
    const box = this.#boxes[at];
    const taken: number[] = [];
    if (box === undefined) return taken;
    for (let place = this.#firstFrom(box.x1 - this.#widest); place < this.#lefts.length; place++) {
      if ((this.#lefts[place] ?? 0) >= box.x2) break;
      const other = this.#byLeft[place] ?? 0;
      const its = this.#boxes[other];
      if (this.#taken[other] === 1 || its === undefined || !matchesRounded(box, its, this.#rules)) continue;
      this.#taken[other] = 1;
      taken.push(other);
    }
    return taken.sort((a, b) => a - b);
  }

  /** The first place whose left edge is not before `x`. */
  #firstFrom(x: number): number {
    let [from, end] = [0, this.#lefts.length];
    while (from < end) {
      const middle = (from + end) >> 1;
      if ((this.#lefts[middle] ?? 0) < x) from = middle + 1;
      else end = middle;
    }
    return from;
  }
}
