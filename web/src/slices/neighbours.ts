// The objects that match one, without looking at all of them: those that begin near it, by the left edges of their boxes.

import { type MatchRules, matchesRounded } from "./match.js";
import type { Outline } from "./sliced-task.js";

export class Neighbours {
  readonly #outlines: readonly Outline[];
  readonly #rules: MatchRules;
  /** The numbers of the objects by their left edges, and these. */
  readonly #byLeft: Uint32Array;
  readonly #lefts: Float32Array;
  readonly #taken: Uint8Array;
  readonly #widest: number;

  /** Matches are found in float32, as SAHI finds them. */
  constructor(outlines: readonly Outline[], { metric, threshold }: MatchRules) {
    this.#outlines = outlines.map(rounded);
    this.#rules = { metric, threshold: Math.fround(threshold) };
    const left = (at: number): number => this.#outlines[at]?.box.x1 ?? 0;
    this.#byLeft = Uint32Array.from(outlines.keys()).sort((a, b) => left(a) - left(b));
    this.#lefts = Float32Array.from(this.#byLeft, left);
    this.#taken = new Uint8Array(outlines.length);
    this.#widest = this.#outlines.reduce((most, { box: { x1, x2 } }) => Math.max(most, x2 - x1), 0);
  }

  /** Whether nobody has taken the object yet. */
  isLeft(at: number): boolean {
    return this.#taken[at] === 0;
  }

  /** Takes an object, and all that match it of those that are left: their numbers, in rising order. */
  take(at: number): number[] {
    this.#taken[at] = 1;
    const own = this.#outlines[at];
    const taken: number[] = [];
    if (own === undefined) return taken;
    const { box } = own;
    for (let place = this.#firstFrom(box.x1 - this.#widest); place < this.#lefts.length; place++) {
      if ((this.#lefts[place] ?? 0) >= box.x2) break;
      const other = this.#byLeft[place] ?? 0;
      const its = this.#outlines[other];
      if (this.#taken[other] === 1 || its === undefined || !matchesRounded(own, its, this.#rules)) continue;
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

function rounded({ box: { x1, y1, x2, y2 }, ...others }: Outline): Outline {
  const [left, top, right, bottom] = Float32Array.of(x1, y1, x2, y2);
  return { ...others, box: { x1: left ?? x1, y1: top ?? y1, x2: right ?? x2, y2: bottom ?? y2 } };
}
