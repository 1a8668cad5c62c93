// Merges the detections of overlapping slices as SAHI 0.12 does: GREEDYNMM and NMS, each class separately.

import type { Box, Detection } from "../api/types.js";
import { type MatchRules, matches } from "./match.js";
import { Neighbours } from "./neighbours.js";
import { boxAround, type Outline, type SlicedTask } from "./sliced-task.js";

/** How matching objects are merged: the best and all that match it into one, or only the best is kept. */
export interface MergeRules extends MatchRules {
  merge: "greedy-nmm" | "nms";
}

/** An object, its outline to compare, and its rank among all, best first. */
interface Ranked<D> {
  rank: number;
  one: D;
  outline: Outline;
}

/** Returns the objects, best first; of equal scores the one further left, then further up. */
export function mergeDetections<D extends Detection>(
  found: readonly D[],
  rules: MergeRules,
  task: SlicedTask<D>,
): D[] {
  const outlined = found.map((one) => ({ one, outline: task.outlineOf(one) }));
  const classes = new Map<number, Ranked<D>[]>();
  for (const [rank, each] of outlined.sort(byScore).entries()) {
    const own = classes.get(each.one.classIndex);
    if (own === undefined) classes.set(each.one.classIndex, [{ rank, ...each }]);
    else own.push({ rank, ...each });
  }
  const merged = [...classes.values()].flatMap((own) => mergeClass(own, rules, task));
  return merged.sort((first, second) => first.rank - second.rank).map(({ one }) => one);
}

/** Merges objects of one class, best first. */
function mergeClass<D extends Detection>(
  found: readonly Ranked<D>[],
  rules: MergeRules,
  task: SlicedTask<D>,
): Pick<Ranked<D>, "rank" | "one">[] {
  const outlines = found.map(({ outline }) => outline);
  const neighbours = new Neighbours(outlines, rules);
  return found.flatMap(({ rank, one, outline }, at) => {
    if (!neighbours.isLeft(at)) return [];
    const others = neighbours.take(at).flatMap((other) => found[other] ?? []);
    if (rules.merge === "nms" || task.join === undefined) return [{ rank, one }];
    const matching = growing(outline.box, others, rules).map((other) => other.one);
    return [{ rank, one: matching.length === 0 ? one : task.join(one, matching) }];
  });
}

/** Grows the box object by object. An object that does not match the grown box is dropped, as in SAHI. */
function growing<D>(box: Box, others: readonly Ranked<D>[], rules: MatchRules): Ranked<D>[] {
  let around = box;
  return others.filter(({ outline }) => {
    if (!matches(around, outline.box, rules)) return false;
    around = boxAround([around, outline.box]);
    return true;
  });
}

/** SAHI sorts by float32 numbers. */
function byScore(first: Omit<Ranked<Detection>, "rank">, second: Omit<Ranked<Detection>, "rank">): number {
  const [a, b] = [first.outline.box, second.outline.box];
  return (
    difference(second.one.score, first.one.score) ||
    difference(a.x1, b.x1) ||
    difference(a.y1, b.y1) ||
    difference(a.x2, b.x2) ||
    difference(a.y2, b.y2)
  );
}

function difference(first: number, second: number): number {
  return Math.fround(first) - Math.fround(second);
}
