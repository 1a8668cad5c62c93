// The outputs of a run into the result of its task.

import type { Result, Tensors, Warning } from "./api.js";
import { degenerateWarnings } from "./degenerate.js";
import { internalError, WebbuildError } from "./errors.js";
import type { Asking } from "./judge.js";
import { type Geometry, planeSize } from "./letterbox.js";
import type { DepthTask, Manifest, PanopticTask, SegmentTask } from "./manifest.js";
import { picturedInput } from "./pictured.js";
import { decodeClasses } from "./tasks/classify.js";
import { type DepthMap, depthWarnings } from "./tasks/depth.js";
import { type DepthMaps, depthAnswer } from "./tasks/depth-answer.js";
import { type DepthWish, mapSizes, VALUES } from "./tasks/depth-parts.js";
import { decodeDetections } from "./tasks/detect.js";
import type { Size } from "./tasks/mask-maps.js";
import { decodeObjects, OBJECT_COLUMNS } from "./tasks/obb.js";
import { decodeRegions } from "./tasks/panoptic.js";
import { decodePhrases } from "./tasks/phrases.js";
import { decodePoses, poseColumns } from "./tasks/pose.js";
import { DETECTION_COLUMNS } from "./tasks/rows.js";
import { decodeSegments, segmentColumns } from "./tasks/segment.js";

/** A result without what only the run can say of it. */
export type Decoded = WithoutRun<Result>;
type WithoutRun<R> = R extends Result
  ? Omit<R, "timings" | "backend" | "feed" | "decode" | "repeated" | "warnings">
  : never;

/** The outputs that the task needs: nothing else is read back from the GPU. */
export function neededOutputs({ task, outputs }: Manifest, wish: DepthWish | null = null): string[] {
  if (task.kind === "tensor") return outputs.map(({ name }) => name);
  if (task.kind === "panoptic") return task.scores === null ? [task.masks] : [task.masks, task.scores];
  if (task.kind === "depth") {
    const isSure = wish === null || wish.values || wish.fade;
    return task.confidence === null || !isSure ? [task.output] : [task.output, task.confidence];
  }
  if (task.kind === "phrases") return [task.output, task.boxes];
  return task.kind === "segment" ? [task.output, task.protos] : [task.output];
}

/** Everything but what is no numbers: the colours of a depth map. */
export function decode(
  manifest: Manifest,
  outputs: Tensors,
  geometry: Geometry,
  { reading, wish }: Asking = { reading: null, wish: null },
): Decoded {
  const { task, inputs, outputs: specs } = manifest;
  const { width, height } = geometry.source;
  switch (task.kind) {
    case "detect": {
      const rows = floats(outputs, task.output, [1, task.rows, DETECTION_COLUMNS]);
      return { kind: "detect", width, height, detections: decodeDetections(task, geometry, rows) };
    }
    case "pose": {
      const rows = floats(outputs, task.output, [1, task.rows, poseColumns(task)]);
      return { kind: "pose", width, height, poses: decodePoses(task, geometry, rows) };
    }
    case "segment": {
      const rows = segmentRows(task, outputs);
      const { dims, grid, input } = protoSizes({ inputs, outputs: specs }, task);
      const protos = floats(outputs, task.protos, dims);
      const segments = decodeSegments(task, geometry, rows, { protos, grid, input });
      return { kind: "segment", width, height, segments };
    }
    case "obb": {
      const rows = floats(outputs, task.output, [1, task.rows, OBJECT_COLUMNS]);
      return { kind: "obb", width, height, objects: decodeObjects(task, geometry, rows) };
    }
    case "classify": {
      const values = floats(outputs, task.output, [1, task.classes.length]);
      return { kind: "classify", width, height, classes: decodeClasses(task, values) };
    }
    case "depth":
      return depthAnswer(task, geometry, depthMaps(manifest, task, outputs), wish ?? VALUES);
    case "phrases": {
      if (reading === null) throw internalError("phrases were to be read without a prompt");
      const dims = specs.find(({ name }) => name === task.output)?.shape ?? [];
      const logits = floats(outputs, task.output, dims);
      const boxes = floats(outputs, task.boxes, [1, task.queries, 4]);
      const input = planeSize(picturedInput(inputs).picture);
      const { queries } = task;
      const detections = decodePhrases(geometry, { logits, boxes, queries, input }, reading);
      return { kind: "phrases", width, height, detections, phrases: reading.prompt.phrases };
    }
    case "panoptic": {
      const { dims, count, cells: grid, input } = maskSizes({ inputs, outputs: specs }, task);
      const masks = floats(outputs, task.masks, dims);
      const scores = classScores(task, outputs, count);
      const { mode } = task;
      return {
        kind: "panoptic",
        width,
        height,
        mode,
        ...decodeRegions(task, geometry, { masks, scores, grid, input }),
      };
    }
    case "tensor":
      return { kind: "tensor", width, height, outputs };
    default:
      return task satisfies never;
  }
}

/** The maps of depth and of confidence that are there. */
export function depthMaps(manifest: Manifest, task: DepthTask, outputs: Tensors): DepthMaps {
  const read = (name: string): DepthMap => {
    const { dims, ...sizes } = mapSizes(manifest, name);
    return { values: floats(outputs, name, dims), ...sizes };
  };
  const { output, confidence } = task;
  return { depth: read(output), confidence: confidence && confidence in outputs ? read(confidence) : null };
}

/** The shape of the masks, how many there are, the cells of each, and the input that they are over. */
export function maskSizes(
  { inputs, outputs }: Pick<Manifest, "inputs" | "outputs">,
  task: PanopticTask,
): { dims: readonly number[]; count: number; cells: Size; input: Size } {
  const dims = outputs.find(({ name }) => name === task.masks)?.shape ?? [];
  const [, count = 0, height = 0, width = 0] = dims;
  return { dims, count, cells: { width, height }, input: planeSize(picturedInput(inputs).picture) };
}

/** The shape of the prototypes, the size of each, and the input that they are over. */
export function protoSizes(
  { inputs, outputs }: Pick<Manifest, "inputs" | "outputs">,
  task: SegmentTask,
): { dims: readonly number[]; grid: Size; input: Size } {
  const [, , height = 0, width = 0] = outputs.find(({ name }) => name === task.protos)?.shape ?? [];
  const input = planeSize(picturedInput(inputs).picture);
  return { dims: [1, task.masks, height, width], grid: { width, height }, input };
}

export function segmentRows(task: SegmentTask, outputs: Tensors): Float32Array {
  return floats(outputs, task.output, [1, task.rows, segmentColumns(task)]);
}

/** The logits of the classes of so many queries, null where the masks are those of the classes. */
export function classScores(task: PanopticTask, outputs: Tensors, queries: number): Float32Array | null {
  return task.scores === null ? null : floats(outputs, task.scores, [1, queries, task.classes.length + 1]);
}

/** What a visitor should know of an answer that no model means to give. */
export function answerWarnings({ task }: Manifest, decoded: Decoded, outputs: Tensors): Warning[] {
  return [...degenerateWarnings(task, outputs), ...(decoded.kind === "depth" ? depthWarnings(decoded) : [])];
}

function floats(outputs: Tensors, name: string, dims: readonly number[]): Float32Array {
  const tensor = outputs[name];
  if (tensor?.type === "float32" && tensor.dims.join() === dims.join()) return tensor.data;
  const got = tensor === undefined ? "nothing" : `${tensor.type} [${tensor.dims.join(", ")}]`;
  const what = `${name}: wanted float32 [${dims.join(", ")}], the graph gave ${got}`;
  throw new WebbuildError("run-failed", what, "pack the model again");
}
