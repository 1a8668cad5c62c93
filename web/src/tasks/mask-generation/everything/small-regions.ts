// Fills small holes of a mask and removes small islands, on its run lengths: `min_mask_region_area` of
// Segment Anything's generator.

import type { Box } from "../../../api/geometry.js";
import { connectedRuns, type Run } from "../../connected-runs.js";
import type { MaskRuns } from "./result.js";

/** Returns the mask without holes and islands of fewer than `least` pixels; the same object without any. */
export function withoutSmallRegions(mask: MaskRuns, least: number): MaskRuns {
  const { width, height } = mask;
  const inside = runsOf(mask, 1);
  const holes = connectedRuns(runsOf(mask, 0), true).filter((region) => sizeOf(region) < least);
  const filled = holes.length === 0 ? inside : [...inside, ...holes.flat()];
  const islands = connectedRuns(merged(filled), true);
  const large = islands.filter((region) => sizeOf(region) >= least);
  if (holes.length === 0 && large.length === islands.length) return mask;
  const largest = islands.reduce(
    (best, each) => (sizeOf(each) > sizeOf(best) ? each : best),
    islands[0] ?? [],
  );
  return { width, height, counts: countsOf(large.length > 0 ? large.flat() : largest, mask) };
}

/** Returns the bounding box of the pixels. */
export function boxOf(mask: MaskRuns): Box {
  const runs = runsOf(mask, 1);
  const [first, last] = [runs[0], runs.at(-1)];
  if (first === undefined || last === undefined) return { x1: 0, y1: 0, x2: 0, y2: 0 };
  const y1 = runs.reduce((least, { begin }) => Math.min(least, begin), mask.height);
  const y2 = runs.reduce((most, { end }) => Math.max(most, end), 0);
  return { x1: first.line, y1, x2: last.line + 1, y2 };
}

/** Returns the runs outside (0) or inside (1) of the object, column by column, cut at the ends of columns. */
function runsOf({ height, counts }: MaskRuns, side: 0 | 1): Run[] {
  const runs: Run[] = [];
  let at = 0;
  for (const [index, count] of counts.entries()) {
    const end = at + count;
    while (index % 2 === side && at < end) {
      const column = Math.floor(at / height);
      const stop = Math.min(end, (column + 1) * height);
      runs.push({ line: column, begin: at - column * height, end: stop - column * height });
      at = stop;
    }
    at = end;
  }
  return runs;
}

function sizeOf(region: readonly Run[]): number {
  return region.reduce((sum, { begin, end }) => sum + end - begin, 0);
}

/** Returns the runs in order, adjacent ones merged. */
function merged(runs: readonly Run[]): Run[] {
  const joined: Run[] = [];
  for (const run of [...runs].sort((one, other) => one.line - other.line || one.begin - other.begin)) {
    const last = joined.at(-1);
    if (last?.line === run.line && last.end === run.begin)
      joined[joined.length - 1] = { ...last, end: run.end };
    else joined.push(run);
  }
  return joined;
}

function countsOf(runs: readonly Run[], { width, height }: MaskRuns): Uint32Array<ArrayBuffer> {
  const counts: number[] = [];
  let [at, end] = [0, 0];
  for (const run of merged(runs)) {
    const begin = run.line * height + run.begin;
    // A run that continues from the previous column.
    if (begin === end && counts.length > 0)
      counts[counts.length - 1] = (counts.at(-1) ?? 0) + run.end - run.begin;
    else counts.push(begin - at, run.end - run.begin);
    end = at = run.line * height + run.end;
  }
  if (at < width * height) counts.push(width * height - at);
  return Uint32Array.from(counts);
}
