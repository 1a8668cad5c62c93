// Mask generation: the object that clicks and boxes point at.

import { internalError } from "../../api/errors.js";
import type { MaskGenerationResult, MaskLogits, RunOptions } from "../../api/types.js";
import type { MaskGenerationTask } from "../../manifest/manifest.js";
import type { Geometry, Size } from "../../preprocess/letterbox.js";
import { readFloats } from "../read-output.js";
import type { FieldsOf, GpuHalf, ManifestOf, TaskModule } from "../task-module.js";
import { type ChosenMasks, chooseMasks, decodeMask } from "./decode-masks.js";
import { MaskPainter } from "./gpu/gpu-masks.js";
import { masksDifference } from "./gpu/masks-self-check.js";
import { type PointPrompt, promptOf } from "./options.js";
import { promptFeeds } from "./prompt.js";

type Fields = FieldsOf<MaskGenerationResult>;

/** A prompt, and where the picture that it points at lies in the encoder's input. */
interface Context {
  prompt: PointPrompt;
  geometry: Geometry | null;
}

const gpu: GpuHalf<MaskGenerationTask, Fields, Context> = {
  outputs: ({ masks }) => [masks],
  async open(device) {
    const painter = await MaskPainter.open(device);
    const reason = await masksDifference(device, painter);
    return {
      matches: "makes the same masks",
      differs: reason && `does not make masks as the CPU does: ${reason}`,
      async run(manifest, gpuOutputs, cpuOutputs, geometry, { prompt }) {
        const { task } = manifest;
        const output = gpuOutputs[task.masks];
        if (output === undefined) throw internalError(`${task.masks} is not on the GPU`);
        const { dims, grid } = layoutOf(manifest);
        const scores = readFloats(cpuOutputs, task.scores, dims.slice(0, -2));
        const chosen = chooseMasks(task, scores, prompt);
        const found = await painter.paint(task, geometry, { values: output.buffer, grid }, chosen);
        const { best } = chosen;
        const masks = found.masks.map((mask, at) => ({ ...mask, score: scoreOf(scores, chosen, at) }));
        const decoded: Fields = {
          kind: "mask-generation",
          ...geometry.source,
          masks,
          best,
          logits: found.logits,
        };
        const stats = { [task.masks]: { hasNan: found.hasNan, isFlat: false } };
        return { decoded, outputs: cpuOutputs, stats };
      },
    };
  },
};

export const task: TaskModule<MaskGenerationTask, Fields, Context> = {
  kind: "mask-generation",
  context(manifest, options: RunOptions, _tools, scene) {
    return { prompt: promptOf(manifest, options), geometry: scene?.geometry ?? null };
  },
  warmUpOptions: () => ({ points: [{ x: 0, y: 0 }] }),
  feeds(manifest, { prompt, geometry }) {
    if (geometry === null) throw internalError("a prompt without a picture that was looked at");
    return promptFeeds(manifest, prompt, geometry);
  },
  neededOutputs: ({ task: { masks, scores } }) => [masks, scores],
  decode(manifest, outputs, geometry, { prompt }) {
    const { dims, grid } = layoutOf(manifest);
    const scores = readFloats(outputs, manifest.task.scores, dims.slice(0, -2));
    const all = readFloats(outputs, manifest.task.masks, dims);
    const chosen = chooseMasks(manifest.task, scores, prompt);
    const plane = (index: number): Float32Array => all.subarray(index * grid.width * grid.height);
    const masks = chosen.masks.map((index, at) => ({
      ...decodeMask(manifest.task, geometry, plane(index), grid),
      score: scoreOf(scores, chosen, at),
    }));
    const logits = logitsOf(plane(chosen.masks[chosen.best] ?? 0), grid);
    return { kind: "mask-generation", ...geometry.source, masks, best: chosen.best, logits };
  },
  transfer: ({ masks, logits }) => ({ arrays: [...masks.map(({ mask }) => mask), logits.data] }),
  flatOutputsAllowed: true,
  gpu,
};

function scoreOf(scores: Float32Array, { masks }: ChosenMasks, at: number): number {
  return scores[masks[at] ?? 0] ?? Number.NaN;
}

/** The shape of the logits, and that of one mask's. */
export function layoutOf({ task, outputs }: ManifestOf<MaskGenerationTask>): {
  dims: readonly number[];
  grid: Size;
} {
  const dims = outputs.find(({ name }) => name === task.masks)?.shape ?? [];
  const [height = 0, width = 0] = dims.slice(-2);
  return { dims, grid: { width, height } };
}

function logitsOf(values: Float32Array, { width, height }: Size): MaskLogits {
  return { data: Float32Array.from(values.subarray(0, width * height)), columns: width, rows: height };
}
