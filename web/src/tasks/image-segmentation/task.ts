// Segmentation of a whole picture: finds the region of each pixel.

import { internalError } from "../../api/errors.js";
import type { ImageSegmentationResult, Tensors } from "../../api/types.js";
import { pixelDifference } from "../../gpu/self-check-data.js";
import type { ImageSegmentationTask } from "../../manifest/manifest.js";
import { runInput } from "../../preprocess/image-input.js";
import { planeSize, type Size } from "../../preprocess/letterbox.js";
import { readFloats } from "../read-output.js";
import type { FieldsOf, GpuDecoder, ManifestOf, TaskModule } from "../task-module.js";
import { decodeRegions } from "./decode-regions.js";
import { GpuArgmax } from "./gpu/gpu-argmax.js";
import { gpuRefusal, regionsOnGpu } from "./gpu/regions.js";
import { regionDifference } from "./gpu/segmentation-self-check.js";
import { withMode } from "./options.js";

type Fields = FieldsOf<ImageSegmentationResult>;

/** The context of a run is the task in the run's mode. */
const gpu: GpuDecoder<ImageSegmentationTask, Fields, ImageSegmentationTask> = {
  refusal: (_, task) => gpuRefusal(task),
  outputs: ({ masks }) => [masks],
  async open(device, { scores: perQuery }) {
    const argmax = await GpuArgmax.open(device);
    const part = await regionDifference(device, argmax, perQuery === null);
    return {
      matches: "gives pixels to the same regions",
      mismatch: pixelDifference(part, "a picture to another region"),
      async run(manifest, gpuOutputs, outputs, geometry, task) {
        const masks = gpuOutputs[task.masks];
        if (masks === undefined) throw internalError(`${task.masks} is not on the GPU`);
        const { count, cells, input } = maskSizes(manifest);
        const scores = classScores(task, outputs, count);
        const maps = { buffer: masks.buffer, cells, input, raw: true };
        const found = await regionsOnGpu(argmax, task, geometry, { maps, count, scores });
        const { regions, map, ...stats } = found;
        const decoded: Fields = {
          kind: "image-segmentation",
          ...geometry.source,
          mode: task.mode,
          regions,
          map,
        };
        return { decoded, outputs, stats: { [task.masks]: stats } };
      },
    };
  },
};

export const task: TaskModule<ImageSegmentationTask, Fields, ImageSegmentationTask> = {
  kind: "image-segmentation",
  context: ({ task }, { mode }) => withMode(task, mode),
  neededOutputs: ({ task: { masks, scores } }) => (scores === null ? [masks] : [masks, scores]),
  decode(manifest, outputs, geometry, task) {
    const { dims, count, cells: grid, input } = maskSizes(manifest);
    const masks = readFloats(outputs, task.masks, dims);
    const scores = classScores(task, outputs, count);
    const found = decodeRegions(task, geometry, { masks, scores, grid, input });
    return { kind: "image-segmentation", ...geometry.source, mode: task.mode, ...found };
  },
  transfer: ({ map }) => ({ arrays: [map] }),
  gpu,
};

/** Returns the shape of the masks, their count, the cells of each, and the size of the input they cover. */
function maskSizes({ task, inputs, outputs }: ManifestOf<ImageSegmentationTask>): {
  dims: readonly number[];
  count: number;
  cells: Size;
  input: Size;
} {
  const dims = outputs.find(({ name }) => name === task.masks)?.shape ?? [];
  const [, count = 0, height = 0, width = 0] = dims;
  return { dims, count, cells: { width, height }, input: planeSize(runInput(inputs).image) };
}

/** Returns the logits [1, queries, classes + 1], null if the masks are those of the classes. */
function classScores(task: ImageSegmentationTask, outputs: Tensors, queries: number): Float32Array | null {
  return task.scores === null
    ? null
    : readFloats(outputs, task.scores, [1, queries, task.classes.length + 1]);
}
