// An output of a text recognizer (CTC): scores of characters for each step along a line, with a blank class.

import type { ResultRow } from "../results/result-list.js";
import { short } from "../util/format.js";
import type { Rows } from "./axes.js";
import { numberAt, type Values } from "./behaviour.js";

export interface Steps {
  count: number;
  classes: number;
  /** The distance in elements from a step to the next, and from a class to the next. */
  step: number;
  stride: number;
  /** The blank class: the first or the last. */
  blank: number;
}

const leastSteps = 6;
const mostSteps = 400;
const leastClasses = 10;
/** The least and the largest share of blank steps in a line. */
const leastBlank = 0.25;
const mostBlank = 0.98;
const mostShown = 100;

/** Returns the steps of [T, C] or [C, T], if many of them are blank and some are not; if both fit, C is the larger. */
export function stepsOf(data: Values, { count, columns }: Rows): Steps | null {
  const ways = [
    { count, classes: columns, step: columns, stride: 1 },
    { count: columns, classes: count, step: 1, stride: columns },
  ];
  for (const way of ways.sort((a, b) => b.classes - a.classes)) {
    if (way.count < leastSteps || way.count > mostSteps || way.classes < leastClasses) continue;
    const best = bestClasses(data, way);
    for (const blank of [0, way.classes - 1]) {
      const share = best.filter(({ index }) => index === blank).length / way.count;
      if (share >= leastBlank && share <= mostBlank) return { ...way, blank };
    }
  }
  return null;
}

function bestClasses(data: Values, { count, classes, step, stride }: Omit<Steps, "blank">) {
  return Array.from({ length: count }, (_, at) => {
    let best = { index: 0, score: Number.NEGATIVE_INFINITY };
    for (let index = 0; index < classes; index += 1) {
      const score = numberAt(data, at * step + index * stride);
      if (score > best.score) best = { index, score };
    }
    return best;
  });
}

/** Returns the text by greedy CTC decoding: the best class of each step, without blanks and repeats. */
export function readSteps(data: Values, steps: Steps): ResultRow[] {
  const best = bestClasses(data, steps);
  const read = best.filter(({ index }, at) => index !== steps.blank && index !== best[at - 1]?.index);
  const largest = Math.max(...read.map(({ score }) => score));
  return read.slice(0, mostShown).map(({ index, score }) => ({
    label: `character ${index}`,
    color: null,
    detail: "",
    share: largest > 0 ? Math.max(score, 0) / largest : 1,
    value: short(Number(score.toPrecision(4))),
  }));
}
