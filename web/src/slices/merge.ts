// What was found in overlapping slices, put together as SAHI 0.12 does: GREEDYNMM and NMS, each class by itself.

import type { Box, Detection } from "../api/types.js";
import { type MatchRules, matches } from "./match.js";
import { Neighbours } from "./neighbours.js";
import { boxAround, type Outline, type SlicedTask } from "./sliced-task.js";

/** What becomes of objects that match: one of the best and all that match it, or the best alone. */
export interface MergeRules extends MatchRules {
  merge: "greedy-nmm" | "nms";
}

/** An object, what is compared of it, and its place among all, best first. */
interface Ranked<D> {
  rank: number;
  one: D;
  outline: Outline;
}

/** Returns the objects, best first; of equal scores the one further left and up. */
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

/** The objects are of one class, best first. */
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

/** The box grows by one after the other; one that does not match what it has become is dropped, as SAHI does. */
function growing<D>(box: Box, others: readonly Ranked<D>[], rules: MatchRules): Ranked<D>[] {
  let around = box;
  return others.filter(({ outline }) => {
    if (!matches(around, outline.box, rules)) return false;
    around = boxAround([around, outline.box]);
    return true;
  });
}

/** SAHI orders by float32 numbers. */
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
