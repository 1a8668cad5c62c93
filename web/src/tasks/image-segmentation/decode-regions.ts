// Decodes maps of logits into regions of a picture. ImageSegmentationTask describes each mode.

import type { Region } from "../../api/types.js";
import type { ImageSegmentationTask } from "../../manifest/manifest.js";
import type { Geometry, Size } from "../../preprocess/letterbox.js";
import { sigmoid } from "../activations.js";
import { type ArgmaxResult, argmax } from "./argmax.js";
import { LabelRuns } from "./label-runs.js";
import {
  forNearestCells,
  type MaskMap,
  probabilities,
  resizedCells,
  resizeLogits,
  softmaxRows,
} from "./mask-logits.js";
import { measureRegions, type RegionPixels } from "./region-statistics.js";

/** The elements of the outputs in row-major order, the size of each map, and the model's input size. */
interface MaskOutputs {
  masks: Float32Array;
  /** Null if there is one mask for each class. */
  scores: Float32Array | null;
  grid: Size;
  input: Size;
}

export interface Regions {
  regions: Region[];
  map: Uint16Array<ArrayBuffer>;
}

export function decodeRegions(
  task: ImageSegmentationTask,
  geometry: Geometry,
  outputs: MaskOutputs,
): Regions {
  const { masks, scores, grid, input } = outputs;
  const area = grid.width * grid.height;
  const maps: MaskMap[] = Array.from({ length: masks.length / area }, (_, index) => ({
    values: masks.subarray(index * area, (index + 1) * area),
    grid,
    input,
  }));
  if (scores === null) return semanticRegions(task, geometry, maps);
  const shares = softmaxRows(scores, task.classes.length + 1);
  switch (task.mode) {
    case "panoptic":
      return panopticRegions(task, geometry, maps, shares);
    case "instance":
      return instanceRegions(task, geometry, maps, shares);
    case "semantic":
      return semanticRegions(task, geometry, classMaps(task, maps, shares));
    default:
      return task.mode satisfies never;
  }
}

/** A map that may win pixels, and the weight of its values. */
export interface WeightedMap {
  map: number;
  weight: number;
}

/** A query that found an object. */
interface KeptQuery {
  query: number;
  classIndex: number;
  score: number;
}

/** Returns the queries that found an object, by the probabilities of their classes. */
export function keptQueries(task: ImageSegmentationTask, shares: readonly Float32Array[]): KeptQuery[] {
  return shares.flatMap((row, query) => {
    const score = row.reduce((most, value) => Math.max(most, value), 0);
    const classIndex = row.indexOf(score);
    return classIndex < task.classes.length && score > Math.fround(task.threshold)
      ? [{ query, classIndex, score }]
      : [];
  });
}

function panopticRegions(
  task: ImageSegmentationTask,
  geometry: Geometry,
  maps: MaskMap[],
  shares: Float32Array[],
): Regions {
  const queries = keptQueries(task, shares);
  const logits = queries.map(({ query, score }) => ({ map: mapAt(maps, query), weight: score }));
  const threshold = Math.fround(task.maskThreshold);
  const compared = { areLogits: true, resized: resizedCells(task), threshold };
  return regionsOfQueries(task, geometry, queries, argmax(geometry, logits, compared));
}

/** Returns the regions of the kept queries, except mostly hidden ones. A fused class is one region. */
export function regionsOfQueries(
  task: ImageSegmentationTask,
  { source }: Geometry,
  queries: readonly KeptQuery[],
  { runs, pixelCounts }: ArgmaxResult,
): Regions {
  const areas = runs.count(queries.length);
  const regions: RegionPixels[] = [];
  for (const [index, { classIndex, score }] of queries.entries()) {
    const share = Math.fround((areas[index + 1] ?? 0) / (pixelCounts[index] ?? 0)); // rounded as in torch
    if (!Number.isFinite(share) || share <= task.overlapMaskAreaThreshold) continue;
    const one = task.labelIdsToFuse.includes(classIndex)
      ? regions.find((each) => each.classIndex === classIndex)
      : null;
    if (one) {
      one.numbers.push(index + 1);
      one.score = Math.max(one.score ?? 0, score);
    } else {
      regions.push({ numbers: [index + 1], classIndex, score });
    }
  }
  return measureRegions(runs, source, regions, task.classes);
}

function instanceRegions(
  task: ImageSegmentationTask,
  geometry: Geometry,
  maps: MaskMap[],
  shares: Float32Array[],
): Regions {
  const pairs = shares.flatMap((row, query) =>
    [...row.subarray(0, task.classes.length)].map((share, classIndex) => ({ query, classIndex, share })),
  );
  const found = pairs
    .sort((a, b) => b.share - a.share)
    .slice(0, shares.length)
    .filter(({ share }) => share >= task.threshold)
    .map(({ query, classIndex, share }) => {
      const mask = resizeLogits(task, mapAt(maps, query));
      return { classIndex, mask, score: Math.fround(share * Math.fround(meanInside(mask.values))) };
    })
    .filter(({ mask, score }) => score >= task.threshold && mask.values.some((value) => value > 0))
    .sort((a, b) => b.score - a.score);
  const numbers = new Int32Array(geometry.source.width * geometry.source.height);
  for (let index = found.length - 1; index >= 0; index -= 1) {
    const one = found[index];
    if (one) forNearestCells(geometry, one.mask, (at) => (numbers[at] = index + 1));
  }
  const regions = found.map(({ classIndex, score }, index) => ({ numbers: [index + 1], classIndex, score }));
  return measureRegions(LabelRuns.of(numbers, geometry.source.width), geometry.source, regions, task.classes);
}

function semanticRegions(task: ImageSegmentationTask, geometry: Geometry, maps: MaskMap[]): Regions {
  const { runs } = argmax(
    geometry,
    maps.map((map) => ({ map, weight: 1 })),
  );
  return regionsOfClasses(task, geometry, maps.length, runs);
}

/** Returns the regions of this many classes. */
export function regionsOfClasses(
  { classes }: ImageSegmentationTask,
  { source }: Geometry,
  count: number,
  runs: LabelRuns,
): Regions {
  const regions = Array.from({ length: count }, (_, classIndex) => ({
    numbers: [classIndex + 1],
    classIndex,
    score: null,
  }));
  return measureRegions(runs, source, regions, classes);
}

/** Returns for each class the sum of all queries' maps, weighted by the class probability. */
function classMaps(task: ImageSegmentationTask, maps: MaskMap[], shares: Float32Array[]): MaskMap[] {
  const probability = maps.map((map) => probabilities(task, map));
  return task.classes.flatMap((_, classIndex) => {
    const [first] = probability;
    if (first === undefined) return [];
    const total = new Float64Array(first.values.length);
    for (const [query, { values }] of probability.entries()) {
      const share = shares[query]?.[classIndex] ?? Number.NaN;
      for (let index = 0; index < total.length; index += 1)
        total[index] = (total[index] ?? 0) + share * (values[index] ?? 0);
    }
    return [{ ...first, values: Float32Array.from(total) }];
  });
}

/** Returns the mean probability where a mask is above 0. */
function meanInside(values: Float32Array): number {
  let total = 0;
  let count = 0;
  for (const value of values) {
    if (!(value > 0)) continue;
    total += Math.fround(sigmoid(value));
    count += 1;
  }
  return total / (count + 1e-6);
}

function mapAt(maps: MaskMap[], query: number): MaskMap {
  return (
    maps[query] ?? {
      values: new Float32Array(),
      grid: { width: 0, height: 0 },
      input: { width: 1, height: 1 },
    }
  );
}
