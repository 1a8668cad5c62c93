// Chooses where outputs are decoded: on the GPU if its self-check gives the CPU's result, else on the CPU.

import type { Route } from "../api/types.js";
import { gpuDevice, type OrtWeb } from "../engine/engine.js";
import type { Manifest } from "../manifest/manifest.js";
import { taskOf } from "../tasks/registry.js";
import type { CheckedGpuDecoder, TaskFields, TaskSpec } from "../tasks/task-module.js";

/** Decodes on the GPU. Takes the outputs on the GPU and those in memory, each by name. */
export type GpuPostprocess = CheckedGpuDecoder<TaskSpec, TaskFields, unknown>["run"];

export interface Postprocessor {
  runOnGpu: GpuPostprocess | null;
  route: Route;
}

/**
 * Returns the postprocessor of a model with a session. Never rejects: if the GPU cannot decode, the CPU does;
 * `route` says why.
 */
export async function createPostprocessor(
  manifest: Manifest,
  engine: OrtWeb | null,
  processing: "auto" | "cpu",
): Promise<Postprocessor> {
  if (engine === null) return onCpu("the model runs on WASM");
  const { gpu } = taskOf(manifest);
  if (gpu === undefined) return onCpu("only masks, depth maps and cutouts are decoded on the GPU");
  if (processing === "cpu") return onCpu('processing "cpu" was requested');
  try {
    const { run, matches, mismatch } = await gpu.open(await gpuDevice(engine), manifest.task);
    if (mismatch !== null) return onCpu(`the GPU ${mismatch}`);
    return { runOnGpu: run, route: { path: "gpu", reason: `the GPU ${matches} as the CPU` } };
  } catch (error) {
    return onCpu(`decoding on the GPU failed: ${error}`);
  }
}

/** Returns the outputs that a session leaves on the GPU. Reading them back later costs the same. */
export function sessionGpuOutputs(manifest: Manifest, processing: "auto" | "cpu"): string[] {
  return processing === "auto" ? (taskOf(manifest).gpu?.outputs(manifest.task, null) ?? []) : [];
}

/** Returns the outputs that stay on the GPU in a run. */
export function runGpuOutputs({ runOnGpu }: Postprocessor, manifest: Manifest, context: unknown): string[] {
  const { gpu } = taskOf(manifest);
  if (runOnGpu === null || gpu === undefined) return [];
  const isRefused = (gpu.refusal?.(manifest.task, context) ?? null) !== null;
  return isRefused ? [] : gpu.outputs(manifest.task, context);
}

function onCpu(reason: string): Postprocessor {
  return { runOnGpu: null, route: { path: "cpu", reason } };
}
