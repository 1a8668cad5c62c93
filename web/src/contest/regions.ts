// The regions of a picture from masks that stay on the GPU: PanopticTask says in words what each mode does.

import type { Geometry } from "../letterbox.js";
import type { PanopticTask } from "../manifest.js";
import { softmax } from "../tasks/mask-maps.js";
import { classesOf, keptQueries, type Regions, thingsOf } from "../tasks/panoptic.js";
import type { GpuContest, Maps, Told } from "./gpu-contest.js";

/** A mode that reads its masks one by one is not for the GPU. */
export function canDecide({ mode }: PanopticTask): boolean {
  return mode !== "instance";
}

/** `scores` are null where the `count` masks are those of the classes. Rejects with what the GPU has against it. */
export function regionsOnGpu(
  contest: GpuContest,
  task: PanopticTask,
  geometry: Geometry,
  { maps, count, scores }: { maps: Maps; count: number; scores: Float32Array | null },
): Promise<Regions & Told> {
  return contest.hold(async (round) => {
    if (scores === null) {
      const decided = await round.decide(maps, evenly(count), geometry, Number.POSITIVE_INFINITY);
      return { ...classesOf(task, geometry, count, decided.winner), ...toldOf(decided) };
    }
    const classes = task.classes.length;
    const shares = softmax(scores, classes + 1);
    if (task.mode === "semantic") {
      const all = evenly(shares.length).map(({ map }) => map);
      const sums = round.summed(round.likely(maps, all, task.grid), shares, classes);
      const decided = await round.decide(sums, evenly(classes), geometry, Number.POSITIVE_INFINITY);
      return { ...classesOf(task, geometry, classes, decided.winner), ...toldOf(decided) };
    }
    const kept = keptQueries(task, shares);
    if (kept.length === 0) return { ...nothing(geometry), hasNan: false, isFlat: false };
    const queries = kept.map(({ query }) => query);
    const weighed = kept.map(({ score }, map) => ({ map, weight: score }));
    const likely = round.likely(maps, queries, task.grid);
    const decided = await round.decide(likely, weighed, geometry, Math.fround(task.maskThreshold));
    return { ...thingsOf(task, geometry, kept, decided), ...toldOf(decided) };
  });
}

function evenly(count: number): { map: number; weight: number }[] {
  return Array.from({ length: count }, (_, map) => ({ map, weight: 1 }));
}

function toldOf({ hasNan, isFlat }: Told): Told {
  return { hasNan, isFlat };
}

function nothing({ source }: Geometry): Regions {
  return { regions: [], map: new Uint16Array(source.width * source.height) };
}
