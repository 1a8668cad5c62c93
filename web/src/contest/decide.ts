// Masks of regions that stayed on the GPU into a result.

import { classScores, type Decoded, maskSizes } from "../decode.js";
import { degenerateWarnings, mapWarnings } from "../degenerate.js";
import { internalError } from "../errors.js";
import type { Decide } from "../judge.js";
import type { GpuContest } from "./gpu-contest.js";
import { regionsOnGpu } from "./regions.js";

export function decideRegions(contest: GpuContest): Decide {
  return async (manifest, kept, others, geometry) => {
    const { task } = manifest;
    const masks = task.kind === "panoptic" ? kept[task.masks] : undefined;
    if (task.kind !== "panoptic" || masks === undefined)
      throw internalError(`a task ${task.kind} was to become regions`);
    const { count, cells, input } = maskSizes(manifest, task);
    const scores = classScores(task, others, count);
    const maps = { buffer: masks.buffer, cells, input, raw: true };
    const { regions, map, ...told } = await regionsOnGpu(contest, task, geometry, { maps, count, scores });
    const decoded: Decoded = { kind: "panoptic", ...geometry.source, mode: task.mode, regions, map };
    return { decoded, warnings: [...degenerateWarnings(task, others), ...mapWarnings(task.masks, told)] };
  };
}
