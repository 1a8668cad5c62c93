// Mask generation: segments the object that clicks and boxes point at.

import { internalError } from "../../api/errors.js";
import type { MaskGenerationResult, MaskLogits } from "../../api/types.js";
import type { MaskGenerationTask } from "../../manifest/manifest.js";
import type { Geometry, Size } from "../../preprocess/letterbox.js";
import { readFloats } from "../read-output.js";
import type { FieldsOf, GpuDecoder, TaskModule } from "../task-module.js";
import { type ChosenMasks, chooseMasks, decodeMask } from "./decode-masks.js";
import {
  type EverythingFields,
  everythingParts,
  type GridContext,
  nothingFound,
} from "./everything/parts.js";
import { MaskPainter } from "./gpu/gpu-masks.js";
import { masksDifference } from "./gpu/masks-self-check.js";
import { type PointPrompt, promptOf } from "./options.js";
import { promptFeeds } from "./prompt.js";
import { layoutOf } from "./prompt-length.js";

type Fields = FieldsOf<MaskGenerationResult>;

/** A prompt, and the place of its picture in the encoder's input. */
interface PromptContext {
  prompt: PointPrompt;
  geometry: Geometry | null;
}

type Context = PromptContext | GridContext;

const gpu: GpuDecoder<MaskGenerationTask, Fields, PromptContext> = {
  outputs: ({ masks }) => [masks],
  async open(device) {
    const painter = await MaskPainter.open(device);
    const reason = await masksDifference(device, painter);
    return {
      matches: "makes the same masks",
      mismatch: reason && `does not make masks as the CPU does: ${reason}`,
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

export const task: TaskModule<MaskGenerationTask, Fields | EverythingFields, Context> = {
  kind: "mask-generation",
  context(manifest, { everything, ...options }, _tools, scene) {
    if (everything !== undefined) return { everything };
    return { prompt: promptOf(manifest, options), geometry: scene?.geometry ?? null };
  },
  warmUpOptions: () => ({ points: [{ x: 0, y: 0 }] }),
  feeds(manifest, context) {
    if ("everything" in context) return {};
    const { prompt, geometry } = context;
    if (geometry === null) throw internalError("a prompt without a scene");
    return promptFeeds(manifest, prompt, geometry);
  },
  neededOutputs: ({ task: { masks, scores } }) => [masks, scores],
  decode(manifest, outputs, geometry, context) {
    if ("everything" in context) throw internalError("a grid of points is run point by point");
    const { dims, grid } = layoutOf(manifest);
    const scores = readFloats(outputs, manifest.task.scores, dims.slice(0, -2));
    const all = readFloats(outputs, manifest.task.masks, dims);
    const chosen = chooseMasks(manifest.task, scores, context.prompt);
    const plane = (index: number): Float32Array => all.subarray(index * grid.width * grid.height);
    const masks = chosen.masks.map((index, at) => ({
      ...decodeMask(manifest.task, geometry, plane(index), grid),
      score: scoreOf(scores, chosen, at),
    }));
    const logits = logitsOf(plane(chosen.masks[chosen.best] ?? 0), grid);
    return { kind: "mask-generation", ...geometry.source, masks, best: chosen.best, logits };
  },
  transfer(result) {
    if (result.kind === "everything") return { arrays: result.masks.map(({ mask }) => mask.counts) };
    return { arrays: [...result.masks.map(({ mask }) => mask), result.logits.data] };
  },
  warnings: (result) => (result.kind === "everything" ? nothingFound(result) : []),
  parts: everythingParts,
  flatOutputsAllowed: true,
  gpu,
};

function scoreOf(scores: Float32Array, { masks }: ChosenMasks, at: number): number {
  return scores[masks[at] ?? 0] ?? Number.NaN;
}

function logitsOf(values: Float32Array, { width, height }: Size): MaskLogits {
  return { data: Float32Array.from(values.subarray(0, width * height)), columns: width, rows: height };
}
