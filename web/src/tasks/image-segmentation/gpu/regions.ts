// Finds the regions of a picture from masks on the GPU. ImageSegmentationTask describes each mode.

import type { ImageSegmentationTask } from "../../../manifest/manifest.js";
import type { ReadStats } from "../../../postprocess/degenerate-outputs.js";
import type { Geometry } from "../../../preprocess/letterbox.js";
import { keptQueries, type Regions, regionsOfClasses, regionsOfQueries } from "../decode-regions.js";
import { softmaxRows } from "../mask-logits.js";
import type { GpuArgmax, GpuMaps } from "./gpu-argmax.js";

/** Returns why a mode does not run on the GPU, null if it does. */
export function gpuRefusal({ mode }: ImageSegmentationTask): string | null {
  return mode === "instance" ? "masks are read one by one in this mode" : null;
}

/** `scores` is null if the `count` masks are those of the classes. Rejects with the GPU's error. */
export function regionsOnGpu(
  argmax: GpuArgmax,
  task: ImageSegmentationTask,
  geometry: Geometry,
  { maps, count, scores }: { maps: GpuMaps; count: number; scores: Float32Array | null },
): Promise<Regions & ReadStats> {
  return argmax.run(async (pass) => {
    if (scores === null) {
      const result = await pass.argmax(maps, equalWeights(count), geometry, Number.POSITIVE_INFINITY);
      return { ...regionsOfClasses(task, geometry, count, result.runs), ...statsOf(result) };
    }
    const classes = task.classes.length;
    const shares = softmaxRows(scores, classes + 1);
    if (task.mode === "semantic") {
      const all = equalWeights(shares.length).map(({ map }) => map);
      const sums = pass.classMaps(pass.sigmoidMaps(maps, all, task.maskSize), shares, classes);
      const result = await pass.argmax(sums, equalWeights(classes), geometry, Number.POSITIVE_INFINITY);
      return { ...regionsOfClasses(task, geometry, classes, result.runs), ...statsOf(result) };
    }
    const selected = keptQueries(task, shares);
    if (selected.length === 0) return { ...noRegions(geometry), hasNan: false, isFlat: false };
    const queries = selected.map(({ query }) => query);
    const weighted = selected.map(({ score }, map) => ({ map, weight: score }));
    const probabilities = pass.sigmoidMaps(maps, queries, task.maskSize);
    const result = await pass.argmax(probabilities, weighted, geometry, Math.fround(task.maskThreshold));
    return { ...regionsOfQueries(task, geometry, selected, result), ...statsOf(result) };
  });
}

function equalWeights(count: number): { map: number; weight: number }[] {
  return Array.from({ length: count }, (_, map) => ({ map, weight: 1 }));
}

function statsOf({ hasNan, isFlat }: ReadStats): ReadStats {
  return { hasNan, isFlat };
}

function noRegions({ source }: Geometry): Regions {
  return { regions: [], map: new Uint16Array(source.width * source.height) };
}
