// What a graph leaves of its suppression to the runtime: on the GPU where that keeps the same boxes, else on the CPU.

import type { Route } from "../api/run-result.js";
import { gpuDevice, type OrtWeb } from "../engine/engine.js";
import type { Suppression } from "../manifest/manifest.js";
import { type AnyTensors, isOnGpu, releaseTensors } from "../tensors/gpu-tensor.js";
import { GpuSuppressor } from "./gpu-suppressor.js";
import { type SuppressionLimits, suppress } from "./suppress.js";
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

  /** Tries the shader on the engine's device, once there is a session. Never rejects: the CPU does it too. */
  static async open(engine: OrtWeb, spec: Suppression): Promise<Suppressor> {
    const onCpu = (reason: string): Suppressor => new Suppressor(spec, null, { path: "cpu", reason });
    try {
      const device = await gpuDevice(engine);
      const gpu = await GpuSuppressor.open(device, spec.rotated ?? false);
      const differs = await suppressionDifference(device, gpu, spec.rotated ?? false);
      if (differs !== null) return onCpu(`the GPU ${differs}`);
      return new Suppressor(spec, gpu, { path: "gpu", reason: "the GPU keeps the same boxes as the CPU" });
    } catch (error) {
      return onCpu(`the GPU does not do it: ${error}`);
    }
  }

  /** The graph's own outputs that make those of `names`. */
  rawOutputs(names: readonly string[]): string[] {
    const { output } = this.#spec;
    return names.includes(output)
      ? [...names.filter((name) => name !== output), ...partNames(this.#spec)]
      : [...names];
  }

  /** Puts the rows of the boxes that are kept in the place of those of all anchors, which are given back. */
  async apply(outputs: AnyTensors, feeds: AnyTensors): Promise<AnyTensors> {
    const spec = this.#spec;
    const { [spec.boxes]: boxes, [spec.scores]: scores, [spec.rows]: rows, ...others } = outputs;
    if (boxes === undefined || scores === undefined || rows === undefined) return outputs;
    try {
      const found = await this.#suppress({ boxes, scores, rows }, limitsOf(spec, rows.dims, feeds));
      return { ...others, [spec.output]: { type: "float32", dims: [...spec.shape], data: found } };
    } finally {
      releaseTensors({ boxes, scores, rows });
    }
  }

  async #suppress(
    { boxes, scores, rows }: Parts,
    limits: SuppressionLimits,
  ): Promise<Float32Array<ArrayBuffer>> {
    if (this.#gpu !== null && isOnGpu(boxes) && isOnGpu(scores) && isOnGpu(rows)) {
      const buffers = { boxes: boxes.buffer, scores: scores.buffer, rows: rows.buffer };
      const found = await this.#gpu
        .run({ anchors: scores.dims[0] ?? 0, ...buffers }, limits)
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

/** What a run asks for, by the thresholds that it is fed. */
export function limitsOf(
  spec: Suppression,
  rowDims: readonly number[],
  feeds: AnyTensors,
): SuppressionLimits {
  const columns = rowDims.at(-1) ?? 0;
  const elements = spec.shape.reduce((product, length) => product * length, 1);
  return {
    columns,
    rowsOut: elements / columns,
    maxDetections: spec.maxDetections,
    maxCandidates: spec.maxCandidates ?? Number.POSITIVE_INFINITY,
    rotated: spec.rotated ?? false,
    confidence: threshold(feeds[spec.confidence]),
    iou: threshold(feeds[spec.iou]),
  };
}

/** NaN, which no score is above, for one that is not there. */
function threshold(tensor: AnyTensors[string] | undefined): number {
  return tensor === undefined || isOnGpu(tensor) ? Number.NaN : Number(tensor.data[0]);
}
