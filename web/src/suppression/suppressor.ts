// Runs the suppression (NMS) that a graph leaves to the runtime: on the GPU if it keeps the same boxes, else
// on the CPU.

import type { Route } from "../api/run-result.js";
import type { TensorData, Tensors } from "../api/types.js";
import { gpuDevice, type OrtWeb } from "../engine/engine.js";
import type { Output, Suppression } from "../manifest/manifest.js";
import { elementCount } from "../tensors/element-count.js";
import { type AnyTensors, isOnGpu, releaseTensors } from "../tensors/gpu-tensor.js";
import { GpuSuppressor } from "./gpu-suppressor.js";
import { type Kept, type SuppressionLimits, suppress } from "./suppress.js";
import { suppressionDifference } from "./suppression-check.js";

export class Suppressor {
  readonly route: Route;
  readonly #spec: Suppression;
  readonly #gpu: GpuSuppressor | null;

  private constructor(spec: Suppression, gpu: GpuSuppressor | null, route: Route) {
    this.#spec = spec;
    this.#gpu = gpu;
    this.route = route;
  }

  /**
   * Tests the shader on the engine's device, after the first session exists. Never rejects: the CPU can
   * suppress too.
   */
  static async open(engine: OrtWeb, spec: Suppression): Promise<Suppressor> {
    const onCpu = (reason: string): Suppressor => new Suppressor(spec, null, { path: "cpu", reason });
    try {
      const device = await gpuDevice(engine);
      const gpu = await GpuSuppressor.open(device, spec.rotated ?? false);
      const differs = await suppressionDifference(device, gpu, spec);
      if (differs !== null) return onCpu(`the GPU ${differs}`);
      return new Suppressor(spec, gpu, { path: "gpu", reason: "the GPU keeps the same boxes as the CPU" });
    } catch (error) {
      return onCpu(`suppression on the GPU failed: ${error}`);
    }
  }

  /** Returns the graph's raw outputs that the outputs in `names` are made from. */
  rawOutputs(names: readonly string[]): string[] {
    const made = suppressedNames(this.#spec);
    const others = names.filter((name) => !made.includes(name));
    return others.length === names.length ? others : [...others, ...partNames(this.#spec)];
  }

  /** Replaces the outputs for all anchors by the kept rows, and releases them. */
  async apply(outputs: AnyTensors, feeds: AnyTensors): Promise<AnyTensors> {
    const spec = this.#spec;
    const { [spec.boxes]: boxes, [spec.scores]: scores, [spec.rows]: rows, ...others } = outputs;
    if (boxes === undefined || scores === undefined || rows === undefined) return outputs;
    try {
      const limits = limitsOf(spec, rows.dims, feeds);
      const kept = await this.#suppress({ boxes, scores, rows }, limits);
      return { ...others, ...splitRows(spec, kept, limits.columns) };
    } finally {
      releaseTensors({ boxes, scores, rows });
    }
  }

  async #suppress({ boxes, scores, rows }: Parts, limits: SuppressionLimits): Promise<Kept> {
    if (this.#gpu !== null && isOnGpu(boxes) && isOnGpu(scores) && isOnGpu(rows)) {
      const buffers = { boxes: boxes.buffer, scores: scores.buffer, rows: rows.buffer };
      const found = await this.#gpu
        .run({ anchors: boxes.dims[0] ?? 0, ...buffers }, limits)
        .catch(() => null);
      if (found !== null) return found;
    }
    const floats = async (tensor: Parts["boxes"]): Promise<Float32Array> =>
      (isOnGpu(tensor) ? await tensor.copy() : tensor).data as Float32Array;
    const anchors = { boxes: await floats(boxes), scores: await floats(scores), rows: await floats(rows) };
    return suppress(anchors, limits);
  }
}

type Parts = Record<"boxes" | "scores" | "rows", AnyTensors[string]>;

export function partNames({ boxes, scores, rows }: Suppression): string[] {
  return [boxes, scores, rows];
}

/** Returns the names of the outputs that suppression makes. */
export function suppressedNames({ outputs, rowCount }: Suppression): string[] {
  return [...outputs, ...(rowCount === undefined ? [] : [rowCount])].map(({ name }) => name);
}

/** Splits rows into the outputs whose columns are next to each other in them. */
export function splitRows(spec: Suppression, { rows, count }: Kept, columns: number): Tensors {
  const made: Tensors = {};
  const length = rows.length / columns;
  let begin = 0;
  for (const output of spec.outputs) {
    const width = elementCount(output.shape) / length;
    const from = begin;
    const values =
      width === columns
        ? rows
        : Float32Array.from(
            { length: length * width },
            (_, at) => rows[Math.floor(at / width) * columns + from + (at % width)] ?? 0,
          );
    made[output.name] = tensorOf(output, values);
    begin += width;
  }
  const { rowCount } = spec;
  if (rowCount !== undefined) made[rowCount.name] = tensorOf(rowCount, Float32Array.of(count));
  return made;
}

function tensorOf({ dtype, shape }: Output, values: Float32Array<ArrayBuffer>): TensorData {
  const dims = [...shape];
  if (dtype === "int64") return { type: dtype, dims, data: BigInt64Array.from(Array.from(values, BigInt)) };
  return dtype === "int32"
    ? { type: dtype, dims, data: Int32Array.from(values) }
    : { type: "float32", dims, data: values };
}

/** Returns the limits of a run, with the thresholds in its feeds. */
export function limitsOf(
  spec: Suppression,
  rowDims: readonly number[],
  feeds: AnyTensors,
): SuppressionLimits {
  const columns = rowDims.at(-1) ?? 0;
  const elements = spec.outputs.reduce((sum, output) => sum + elementCount(output.shape), 0);
  return {
    columns,
    rowsOut: elements / columns,
    maxDetections: spec.maxDetections,
    maxCandidates: spec.maxCandidates ?? Number.POSITIVE_INFINITY,
    rotated: spec.rotated ?? false,
    confidence: spec.confidence === null ? Number.NEGATIVE_INFINITY : threshold(feeds[spec.confidence]),
    iou: spec.iou === null ? 0 : threshold(feeds[spec.iou]),
    multiLabel: spec.multiLabel,
  };
}

/** Returns the threshold in a tensor; NaN, which no score exceeds, if it is missing. */
function threshold(tensor: AnyTensors[string] | undefined): number {
  return tensor === undefined || isOnGpu(tensor) ? Number.NaN : Number(tensor.data[0]);
}
