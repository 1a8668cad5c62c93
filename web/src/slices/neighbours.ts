// Finds the objects that match an object. Each object is taken only once.

import { OverlappingBoxes } from "../suppression/overlapping-boxes.js";
import { type MatchRules, matchesRounded } from "./match.js";
import type { Outline } from "./sliced-task.js";

export class Neighbours {
  readonly #outlines: readonly Outline[];
  readonly #rules: MatchRules;
  readonly #overlapping: OverlappingBoxes;
  readonly #taken: Uint8Array;

  /** Matches are computed in float32, as in SAHI. */
  constructor(outlines: readonly Outline[], { metric, threshold }: MatchRules) {
    this.#outlines = outlines.map(rounded);
    this.#rules = { metric, threshold: Math.fround(threshold) };
    this.#overlapping = new OverlappingBoxes(this.#outlines.map(({ box }) => box));
    this.#taken = new Uint8Array(outlines.length);
  }

  /** Whether the object is not taken yet. */
  isLeft(at: number): boolean {
    return this.#taken[at] === 0;
  }

  /** Takes an object and all remaining objects that match it. Returns their indices in rising order. */
  take(at: number): number[] {
    this.#taken[at] = 1;
    const own = this.#outlines[at];
    const taken: number[] = [];
    if (own === undefined) return taken;
    this.#overlapping.visit(own.box, (other) => {
      const its = this.#outlines[other];
      if (this.#taken[other] === 1 || its === undefined || !matchesRounded(own, its, this.#rules)) return;
      this.#taken[other] = 1;
      taken.push(other);
    });
    return taken.sort((a, b) => a - b);
  }
}

function rounded({ box: { x1, y1, x2, y2 }, ...others }: Outline): Outline {
  const [left, top, right, bottom] = Float32Array.of(x1, y1, x2, y2);
  return { ...others, box: { x1: left ?? x1, y1: top ?? y1, x2: right ?? x2, y2: bottom ?? y2 } };
}
