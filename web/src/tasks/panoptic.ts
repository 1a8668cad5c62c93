// Maps of logits over the model's input into the regions of a picture. PanopticTask says in words what each mode does.

import type { Region } from "../api.js";
import type { Geometry } from "../letterbox.js";
import type { PanopticTask } from "../manifest.js";
import { decodeMap } from "./depth.js";
import { type Cells, nearest, probabilities, resized, type Size, softmax } from "./mask-maps.js";
import { type Drawn, measure } from "./regions.js";

/** The elements of the outputs in row-major order, the size of each map, and that of the input it covers. */
export interface MaskOutputs {
  masks: Float32Array;
  /** Null where the masks are those of the classes. */
  scores: Float32Array | null;
  grid: Size;
  input: Size;
}

export interface Regions {
  regions: Region[];
  map: Uint16Array<ArrayBuffer>;
}

export function decodeRegions(task: PanopticTask, geometry: Geometry, outputs: MaskOutputs): Regions {
  const { masks, scores, grid, input } = outputs;
  const area = grid.width * grid.height;
  const maps: Cells[] = Array.from({ length: masks.length / area }, (_, index) => ({
    values: masks.subarray(index * area, (index + 1) * area),
    grid,
    input,
  }));
  if (scores === null) return byClass(task, geometry, maps);
  const shares = softmax(scores, task.classes.length + 1);
  switch (task.mode) {
    case "panoptic":
      return byQuery(task, geometry, maps, shares);
    case "instance":
      return overlaid(task, geometry, maps, shares);
    case "semantic":
      return byClass(task, geometry, summed(task, maps, shares));
    default:
      return task.mode satisfies never;
  }
}

/** A map that wants pixels, and what its values there are multiplied by. */
export interface Contestant {
  map: number;
  weight: number;
}

/** For each pixel the number of the contestant that is likeliest there, from 1; how many each has above a threshold. */
export interface Decided {
  winner: Int32Array;
  above: number[];
}

/** A query that found something. */
export interface Kept {
  query: number;
  classIndex: number;
  score: number;
}

/** Returns the queries that found something, by the probabilities of their classes. */
export function keptQueries(task: PanopticTask, shares: readonly Float32Array[]): Kept[] {
  return shares.flatMap((row, query) => {
    const score = row.reduce((most, value) => Math.max(most, value), 0);
    const classIndex = row.indexOf(score);
    return classIndex < task.classes.length && score > Math.fround(task.threshold)
      ? [{ query, classIndex, score }]
      : [];
  });
}

function byQuery(task: PanopticTask, geometry: Geometry, maps: Cells[], shares: Float32Array[]): Regions {
  const kept = keptQueries(task, shares);
  const contest = new Contest(geometry);
  const above = kept.map(({ query, score }) => {
    const likely = decodeMap(geometry, probabilities(task, mapAt(maps, query)));
    let count = 0;
    for (const [index, value] of likely.entries()) {
      const weighted = Math.fround(value * score);
      likely[index] = weighted;
      if (weighted >= Math.fround(task.maskThreshold)) count += 1;
    }
    contest.enter(likely);
    return count;
  });
  return thingsOf(task, geometry, kept, { winner: contest.winner, above });
}

/** Returns the regions of the queries kept, those of a fused class as one, without those that are mostly hidden. */
export function thingsOf(
  task: PanopticTask,
  { source }: Geometry,
  kept: readonly Kept[],
  { winner, above }: Decided,
): Regions {
  const areas = areasOf(winner, kept.length);
  const drawn: Drawn[] = [];
  for (const [index, { classIndex, score }] of kept.entries()) {
    const share = Math.fround((areas[index + 1] ?? 0) / (above[index] ?? 0)); // rounded as torch does
    if (!Number.isFinite(share) || share <= task.overlap) continue;
    const one = task.fused.includes(classIndex) ? drawn.find((each) => each.classIndex === classIndex) : null;
    if (one) {
      one.numbers.push(index + 1);
      one.score = Math.max(one.score ?? 0, score);
    } else {
      drawn.push({ numbers: [index + 1], classIndex, score });
    }
  }
  return measure(winner, source, drawn, task.classes);
}

function overlaid(task: PanopticTask, geometry: Geometry, maps: Cells[], shares: Float32Array[]): Regions {
  const pairs = shares.flatMap((row, query) =>
    [...row.subarray(0, task.classes.length)].map((share, classIndex) => ({ query, classIndex, share })),
  );
  const found = pairs
    .sort((a, b) => b.share - a.share)
    .slice(0, shares.length)
    .filter(({ share }) => share >= task.threshold)
    .map(({ query, classIndex, share }) => {
      const mask = resized(task, mapAt(maps, query));
      return { classIndex, mask, score: Math.fround(share * Math.fround(meanInside(mask.values))) };
    })
    .filter(({ mask, score }) => score >= task.threshold && mask.values.some((value) => value > 0))
    .sort((a, b) => b.score - a.score);
  const numbers = new Int32Array(geometry.source.width * geometry.source.height);
  for (let index = found.length - 1; index >= 0; index -= 1) {
    const one = found[index];
    if (one) nearest(geometry, one.mask, (at) => (numbers[at] = index + 1));
  }
  const drawn = found.map(({ classIndex, score }, index) => ({ numbers: [index + 1], classIndex, score }));
  return measure(numbers, geometry.source, drawn, task.classes);
}

function byClass(task: PanopticTask, geometry: Geometry, maps: Cells[]): Regions {
  const contest = new Contest(geometry);
  for (const map of maps) contest.enter(decodeMap(geometry, map));
  return classesOf(task, geometry, maps.length, contest.winner);
}

/** Returns the regions of so many classes. */
export function classesOf(
  { classes }: PanopticTask,
  { source }: Geometry,
  count: number,
  winner: Int32Array,
): Regions {
  const drawn = Array.from({ length: count }, (_, classIndex) => ({
    numbers: [classIndex + 1],
    classIndex,
    score: null,
  }));
  return measure(winner, source, drawn, classes);
}

/** For each class the sum of all queries' maps, weighed by the class's probability. */
function summed(task: PanopticTask, maps: Cells[], shares: Float32Array[]): Cells[] {
  const likely = maps.map((map) => probabilities(task, map));
  return task.classes.flatMap((_, classIndex) => {
    const [first] = likely;
    if (first === undefined) return [];
    const total = new Float64Array(first.values.length);
    for (const [query, { values }] of likely.entries()) {
      const share = shares[query]?.[classIndex] ?? Number.NaN;
      for (let index = 0; index < total.length; index += 1)
        total[index] = (total[index] ?? 0) + share * (values[index] ?? 0);
    }
    return [{ ...first, values: Float32Array.from(total) }];
  });
}

/** Who is likeliest at each pixel, of all that entered; of equals the first. Nobody wins where all are NaN. */
class Contest {
  readonly winner: Int32Array;
  readonly #best: Float32Array;
  #entered = 0;

  constructor({ source }: Geometry) {
    this.winner = new Int32Array(source.width * source.height);
    this.#best = new Float32Array(this.winner.length).fill(Number.NEGATIVE_INFINITY);
  }

  enter(likely: Float32Array): void {
    this.#entered += 1;
    const best = this.#best;
    for (let index = 0; index < likely.length; index += 1) {
      const value = likely[index] ?? Number.NaN;
      if (!(value > (best[index] ?? 0))) continue;
      best[index] = value;
      this.winner[index] = this.#entered;
    }
  }
}

/** How many pixels nobody has, and each of so many contestants. */
function areasOf(winner: Int32Array, count: number): number[] {
  const areas = new Array<number>(count + 1).fill(0);
  for (const number of winner) areas[number] = (areas[number] ?? 0) + 1;
  return areas;
}

/** The mean probability where a mask is above 0. */
function meanInside(values: Float32Array): number {
  let total = 0;
  let count = 0;
  for (const value of values) {
    if (!(value > 0)) continue;
    total += Math.fround(1 / (1 + Math.exp(-value)));
    count += 1;
  }
  return total / (count + 1e-6);
}

function mapAt(maps: Cells[], query: number): Cells {
  return (
    maps[query] ?? {
      values: new Float32Array(),
      grid: { width: 0, height: 0 },
      input: { width: 1, height: 1 },
    }
  );
}
