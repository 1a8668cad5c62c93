// Prototypes of masks that stayed on the GPU into a result.

import { protoSizes, segmentRows } from "../decode.js";
import { degenerateWarnings, mapWarnings } from "../degenerate.js";
import { internalError } from "../errors.js";
import type { Decide } from "../judge.js";
import type { GpuCutter } from "./gpu-cutter.js";
import { segmentsOnGpu } from "./segments.js";

export function decideSegments(cutter: GpuCutter): Decide {
  return async (manifest, kept, others, geometry) => {
    const { task } = manifest;
    const protos = task.kind === "segment" ? kept[task.protos] : undefined;
    if (task.kind !== "segment" || protos === undefined)
      throw internalError(`masks were to be cut for a task ${task.kind}`);
    const lying = { buffer: protos.buffer, ...protoSizes(manifest, task) };
    const rows = segmentRows(task, others);
    const { segments, ...told } = await segmentsOnGpu(cutter, task, geometry, rows, lying);
    const warnings = [...degenerateWarnings(task, others), ...mapWarnings(task.protos, told)];
    return { decoded: { kind: "segment", ...geometry.source, segments }, warnings };
  };
}
