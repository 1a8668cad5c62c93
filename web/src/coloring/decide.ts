// A depth map that stayed on the GPU into a result: its colours there; what else was asked for is read and made here.

import { type Decoded, depthMaps } from "../decode.js";
import { degenerateWarnings, mapWarnings } from "../degenerate.js";
import { internalError } from "../errors.js";
import { inMemory } from "../gpu-tensor.js";
import type { Decide } from "../judge.js";
import { depthWarnings } from "../tasks/depth.js";
import { depthAnswer, emptyAnswer } from "../tasks/depth-answer.js";
import { mapSizes } from "../tasks/depth-parts.js";
import type { GpuPainter } from "./gpu-painter.js";

export function decideColors(painter: GpuPainter): Decide {
  return async (manifest, kept, others, geometry, { wish }) => {
    const { task } = manifest;
    const depth = task.kind === "depth" ? kept[task.output] : undefined;
    if (task.kind !== "depth" || wish === null || depth === undefined)
      throw internalError(`a task ${task.kind} was to be coloured`);
    const sure = task.confidence === null ? undefined : kept[task.confidence];
    const maps = {
      depth: depth.buffer,
      confidence: sure?.buffer ?? null,
      ...mapSizes(manifest, task.output),
    };
    const { picture, hasNan, ...range } = await painter.paint(task, geometry, maps);
    const colors = await createImageBitmap(picture);
    if (wish.values || wish.map) {
      const outputs = { ...(await inMemory(kept)), ...others };
      const decoded = depthAnswer(task, geometry, depthMaps(manifest, task, outputs), wish);
      const warnings = [...degenerateWarnings(task, outputs), ...depthWarnings(decoded)];
      return { decoded: { ...decoded, colors }, warnings };
    }
    const decoded: Decoded = { ...emptyAnswer(task, geometry, range), colors };
    const told = [
      ...mapWarnings(task.output, { hasNan: hasNan.depth, isFlat: false }),
      ...mapWarnings(task.confidence ?? "", { hasNan: hasNan.confidence, isFlat: false }),
    ];
    return { decoded, warnings: [...told, ...depthWarnings(range)] };
  };
}
