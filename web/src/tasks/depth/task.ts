// Depth estimation: the distance of each pixel of the picture, as numbers and as colours.

import { internalError } from "../../api/errors.js";
import type { DepthResult, Tensors } from "../../api/types.js";
import type { DepthTask, Manifest } from "../../manifest/manifest.js";
import { runInput } from "../../preprocess/image-input.js";
import { planeSize, type Size } from "../../preprocess/letterbox.js";
import { readTensors } from "../../tensors/gpu-tensor.js";
import { readFloats } from "../read-output.js";
import type { FieldsOf, GpuDecoder, ManifestOf, TaskModule } from "../task-module.js";
import { colorDifference } from "./colormap/colormap-self-check.js";
import { applyColormap, confidenceAlpha } from "./colormap/cpu-colormap.js";
import { GpuColormap } from "./colormap/gpu-colormap.js";
import { depthDifference } from "./depth-difference.js";
import { type DepthMap, depthWarnings } from "./depth-map.js";
import { type DepthMaps, depthResult, emptyDepthResult } from "./depth-result.js";
import { type DepthOptions, depthOptions } from "./options.js";

type Fields = FieldsOf<DepthResult>;

const gpu: GpuDecoder<DepthTask, Fields, DepthOptions> = {
  refusal: (_, { colors }) => (colors ? null : "no colours were requested"),
  outputs({ output, confidence }, options) {
    const confidenceAlpha = options === null || options.confidenceAlpha;
    return [output, ...(confidenceAlpha && confidence !== null ? [confidence] : [])];
  },
  async open(device) {
    const colormap = await GpuColormap.open(device);
    const reason = await colorDifference(device, colormap);
    return {
      matches: "gives a depth map the same colours",
      mismatch: reason && `does not colour a depth map as the CPU does: ${reason}`,
      async run(manifest, gpuOutputs, cpuOutputs, geometry, options) {
        const { task } = manifest;
        const depth = gpuOutputs[task.output];
        if (depth === undefined) throw internalError(`${task.output} is not on the GPU`);
        const sure = task.confidence === null ? undefined : gpuOutputs[task.confidence];
        const { grid, input } = mapSizes(manifest, task.output);
        const maps = { depth: depth.buffer, confidence: sure?.buffer ?? null, grid, input };
        const { picture, hasNan, ...range } = await colormap.apply(task, geometry, maps);
        const colors = await createImageBitmap(picture);
        if (options.values || options.map) {
          const outputs = { ...(await readTensors(gpuOutputs)), ...cpuOutputs };
          const decoded = depthResult(task, geometry, depthMaps(manifest, outputs), options);
          return { decoded: { ...decoded, colors }, outputs, stats: {} };
        }
        const stats = {
          [task.output]: { hasNan: hasNan.depth, isFlat: false },
          [task.confidence ?? ""]: { hasNan: hasNan.confidence, isFlat: false },
        };
        return { decoded: { ...emptyDepthResult(task, geometry, range), colors }, outputs: {}, stats };
      },
    };
  },
};

export const task: TaskModule<DepthTask, Fields, DepthOptions> = {
  kind: "depth",
  context: ({ task }, options) => depthOptions(task, options),
  neededOutputs({ task: { output, confidence } }, { values, confidenceAlpha }) {
    return confidence !== null && (values || confidenceAlpha) ? [output, confidence] : [output];
  },
  decode(manifest, outputs, geometry, options) {
    const { task } = manifest;
    const maps = depthMaps(manifest, outputs);
    const result = depthResult(task, geometry, maps, options);
    if (!options.colors) return result;
    const alpha =
      options.confidenceAlpha && maps.confidence !== null ? confidenceAlpha(geometry, maps.confidence) : null;
    const picture = applyColormap(geometry, maps.depth, result, alpha);
    return createImageBitmap(picture).then((colors) => ({ ...result, colors }));
  },
  transfer({ depth, confidence, map, colors }) {
    const arrays = [depth, confidence, map?.values].filter((part) => part !== null && part !== undefined);
    return { arrays, others: colors === null ? [] : [colors] };
  },
  warnings: depthWarnings,
  flatOutputsAllowed: true,
  difference: depthDifference,
  gpu,
};

/** Returns the depth map, and the confidence map if there is one. */
function depthMaps(manifest: ManifestOf<DepthTask>, outputs: Tensors): DepthMaps {
  const read = (name: string): DepthMap => {
    const { dims, ...sizes } = mapSizes(manifest, name);
    return { values: readFloats(outputs, name, dims), ...sizes };
  };
  const { output, confidence } = manifest.task;
  return { depth: read(output), confidence: confidence && confidence in outputs ? read(confidence) : null };
}

/** Returns the shape of a map output, the size of the map, and the size of the input it covers. */
function mapSizes(
  { inputs, outputs }: Pick<Manifest, "inputs" | "outputs">,
  name: string,
): { dims: readonly number[]; grid: Size; input: Size } {
  const dims = outputs.find((spec) => spec.name === name)?.shape ?? [];
  const [height = 0, width = 0] = dims.slice(-2);
  return { dims, grid: { width, height }, input: planeSize(runInput(inputs).image) };
}
