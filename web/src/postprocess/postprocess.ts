// Decodes a run's outputs: those on the GPU there, if the GPU can, all others on the CPU.

import { WebbuildError } from "../api/errors.js";
import type { Route, Tensors, Warning } from "../api/types.js";
import type { Manifest } from "../manifest/manifest.js";
import type { Geometry } from "../preprocess/letterbox.js";
import type { Picture } from "../preprocess/pixels.js";
import { taskOf } from "../tasks/registry.js";
import { type AnyTensors, type GpuTensor, isOnGpu, readTensors } from "../tensors/gpu-tensor.js";
import { decode, resultWarnings, type TaskResult } from "./decode.js";
import { mapWarnings } from "./degenerate-outputs.js";
import type { GpuPostprocess, Postprocessor } from "./gpu-postprocess.js";

export interface PostprocessResult {
  decoded: TaskResult;
  warnings: Warning[];
  route: Route;
}

/** Decodes the outputs. Always releases the GPU tensors. `source` is the picture of the run. */
export async function postprocess(
  { runOnGpu, route }: Postprocessor,
  manifest: Manifest,
  outputs: AnyTensors,
  geometry: Geometry,
  context: unknown,
  source: Picture,
): Promise<PostprocessResult> {
  const onCpu = (all: Tensors, cpuRoute: Route): Promise<PostprocessResult> =>
    postprocessOnCpu(manifest, all, geometry, context, source, cpuRoute);
  const gpuOutputs: Record<string, GpuTensor> = {};
  const cpuOutputs: Tensors = {};
  for (const [name, tensor] of Object.entries(outputs)) {
    if (isOnGpu(tensor)) gpuOutputs[name] = tensor;
    else cpuOutputs[name] = tensor;
  }
  if (Object.keys(gpuOutputs).length === 0 || runOnGpu === null) {
    const cpuRoute: Route = runOnGpu === null ? route : { path: "cpu", reason: cpuReason(manifest, context) };
    return onCpu(await readTensors(outputs), cpuRoute);
  }
  try {
    const found = await runOnGpu(manifest, gpuOutputs, cpuOutputs, geometry, context, source);
    return { ...withWarnings(manifest, found), route };
  } catch (error) {
    if (error instanceof WebbuildError) throw error;
    const reason = `decoding on the GPU failed: ${error}`;
    return onCpu(await readTensors(outputs), { path: "cpu", reason });
  } finally {
    for (const tensor of Object.values(gpuOutputs)) tensor.release();
  }
}

function withWarnings(
  manifest: Manifest,
  found: Awaited<ReturnType<GpuPostprocess>>,
): Omit<PostprocessResult, "route"> {
  const decoded = found.decoded as TaskResult;
  const onGpu = Object.entries(found.stats).flatMap(([name, stats]) => mapWarnings(name, stats));
  return { decoded, warnings: [...onGpu, ...resultWarnings(manifest, decoded, found.outputs)] };
}

function cpuReason(manifest: Manifest, context: unknown): string {
  return taskOf(manifest).gpu?.refusal?.(manifest.task, context) ?? "the run was repeated elsewhere";
}

async function postprocessOnCpu(
  manifest: Manifest,
  outputs: Tensors,
  geometry: Geometry,
  context: unknown,
  source: Picture,
  route: Route,
): Promise<PostprocessResult> {
  const decoded = await decode(manifest, outputs, geometry, context, source);
  return { decoded, warnings: resultWarnings(manifest, decoded, outputs), route };
}
