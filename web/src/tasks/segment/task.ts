// Instance segmentation: objects with masks of their pixels.

import { internalError } from "../../api/errors.js";
import type { SegmentResult, Tensors } from "../../api/types.js";
import { pixelDifference } from "../../gpu/self-check-data.js";
import type { SegmentTask } from "../../manifest/manifest.js";
import { runInput } from "../../preprocess/image-input.js";
import { planeSize, type Size } from "../../preprocess/letterbox.js";
import { hasNoArea } from "../detection-rows.js";
import { readFloats, readRows } from "../read-output.js";
import type { FieldsOf, GpuDecoder, ManifestOf, TaskModule } from "../task-module.js";
import { decodeSegments, segmentColumns } from "./decode-segments.js";
import { MaskAssembler } from "./gpu/mask-assembler.js";
import { maskDifference } from "./gpu/mask-self-check.js";
import { segmentsOnGpu } from "./gpu/segments.js";

type Fields = FieldsOf<SegmentResult>;

const gpu: GpuDecoder<SegmentTask, Fields, null> = {
  outputs: ({ protos }) => [protos],
  async open(device) {
    const assembler = await MaskAssembler.open(device);
    return {
      matches: "cuts the same masks",
      mismatch: pixelDifference(await maskDifference(device, assembler), "a mask to the wrong side"),
      async run(manifest, gpuOutputs, outputs, geometry) {
        const { task } = manifest;
        const protos = gpuOutputs[task.protos];
        if (protos === undefined) throw internalError(`${task.protos} is not on the GPU`);
        const { grid, input } = protoSizes(manifest);
        const prototypes = { buffer: protos.buffer, grid, input };
        const rows = segmentRows(task, outputs);
        const { segments, ...stats } = await segmentsOnGpu(assembler, task, geometry, rows, prototypes);
        const decoded: Fields = { kind: "segment", ...geometry.source, segments };
        return { decoded, outputs, stats: { [task.protos]: stats } };
      },
    };
  },
};

export const task: TaskModule<SegmentTask, Fields> = {
  kind: "segment",
  neededOutputs: ({ task: { output, protos } }) => [output, protos],
  decode(manifest, outputs, geometry) {
    const { task } = manifest;
    const { dims, grid, input } = protoSizes(manifest);
    const rows = segmentRows(task, outputs);
    const protos = readFloats(outputs, task.protos, dims);
    const segments = decodeSegments(task, geometry, rows, { protos, grid, input });
    return { kind: "segment", ...geometry.source, segments };
  },
  transfer: ({ segments }) => ({ arrays: segments.map(({ mask }) => mask.data) }),
  rows: { output: ({ output }) => output, isEmptyBox: hasNoArea },
  gpu,
};

function segmentRows(task: SegmentTask, outputs: Tensors): Float32Array {
  return readRows(task, outputs, segmentColumns(task));
}

/** Returns the shape of the prototypes, the size of each, and the size of the input they cover. */
function protoSizes({ task, inputs, outputs }: ManifestOf<SegmentTask>): {
  dims: readonly number[];
  grid: Size;
  input: Size;
} {
  const [, , height = 0, width = 0] = outputs.find(({ name }) => name === task.protos)?.shape ?? [];
  const input = planeSize(runInput(inputs).image);
  return { dims: [1, task.maskCoefficients, height, width], grid: { width, height }, input };
}
