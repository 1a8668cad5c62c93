// Prototypes of masks that stayed on the GPU into a result.

import type { Decide } from "../contest/judge.js";
import { protoSizes, segmentRows } from "../decode.js";
import { degenerateWarnings, mapWarnings } from "../degenerate.js";
import { internalError } from "../errors.js";
import type { GpuCutter } from "./gpu-cutter.js";
import { segmentsOnGpu } from "./segments.js";

export function decideSegments(cutter: GpuCutter): Decide {
  return async (manifest, { buffer }, others, geometry) => {
    const { task } = manifest;
    if (task.kind !== "segment") throw internalError(`masks were to be cut for a task ${task.kind}`);
    const kept = { buffer, ...protoSizes(manifest, task) };
    const rows = segmentRows(task, others);
    const { segments, ...told } = await segmentsOnGpu(cutter, task, geometry, rows, kept);
    const warnings = [...degenerateWarnings(task, others), ...mapWarnings(task.protos, told)];
    return { decoded: { kind: "segment", ...geometry.source, segments }, warnings };
  };
}
