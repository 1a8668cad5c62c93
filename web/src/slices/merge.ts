// What was found in overlapping slices, put together as SAHI 0.12 does: GREEDYNMM and NMS, each class by itself.

import type { Box, Detection } from "../api/types.js";
import { type MatchRules, matches } from "./match.js";
import { Neighbours } from "./neighbours.js";

/** How boxes of the same object are put together: into one around all that match the best, or the best alone. */
export interface MergeRules extends MatchRules {
  merge: "greedy-nmm" | "nms";
}

/** An object, and its place among all, best first. */
interface Ranked<D> {
  rank: number;
  one: D;
}

/** Returns the objects, best first; of equal scores the one further left and up. Of merged ones it is the best, with their box. */
export function mergeDetections<D extends Detection>(found: readonly D[], rules: MergeRules): D[] {
  const classes = new Map<number, Ranked<D>[]>();
  for (const [rank, one] of [...found].sort(byScore).entries()) {
    const own = classes.get(one.classIndex);
    if (own === undefined) classes.set(one.classIndex, [{ rank, one }]);
    else own.push({ rank, one });
  }
  const merged = [...classes.values()].flatMap((own) => mergeClass(own, rules));
  return merged.sort((first, second) => first.rank - second.rank).map(({ one }) => one);
}

/** The objects are of one class, best first. */
function mergeClass<D extends Detection>(found: readonly Ranked<D>[], rules: MergeRules): Ranked<D>[] {
  const boxes = found.map(({ one }) => one.box);
  const neighbours = new Neighbours(boxes, rules);
  return found.flatMap(({ rank, one }, at) => {
    if (!neighbours.isLeft(at)) return [];
    const others = neighbours.take(at).flatMap((other) => boxes[other] ?? []);
    const box = rules.merge === "nms" ? one.box : boxAround(one.box, others, rules);
    return [{ rank, one: { ...one, box } }];
  });
}

/** The box grows by one after the other; one that does not match what it has become is dropped, as SAHI does. */
function boxAround(box: Box, others: readonly Box[], rules: MatchRules): Box {
  return others.reduce(
    (around, other) => (matches(around, other, rules) ? union(around, other) : around),
    box,
  );
}

function union(first: Box, second: Box): Box {
  return {
    x1: Math.min(first.x1, second.x1),
    y1: Math.min(first.y1, second.y1),
    x2: Math.max(first.x2, second.x2),
    y2: Math.max(first.y2, second.y2),
  };
}

/** SAHI orders by float32 numbers. */
function byScore(first: Detection, second: Detection): number {
  const [a, b] = [first.box, second.box];
  return (
    difference(second.score, first.score) ||
    difference(a.x1, b.x1) ||
    difference(a.y1, b.y1) ||
    difference(a.x2, b.x2) ||
    difference(a.y2, b.y2)
  );
}

function difference(first: number, second: number): number {
  return Math.fround(first) - Math.fround(second);
}
