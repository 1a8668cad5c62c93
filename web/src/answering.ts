// The outputs of a run into its answer: masks and depth maps that stayed on the GPU there, everything else here.

import type { Tensors, Warning } from "./api.js";
import { fadingOf, paintMap, type Scale } from "./coloring/paint.js";
import { answerWarnings, type Decoded, decode, depthMaps } from "./decode.js";
import { internalError, WebbuildError } from "./errors.js";
import { type AnyTensors, type GpuTensor, inMemory, isOnGpu } from "./gpu-tensor.js";
import type { Asking, Judge } from "./judge.js";
import type { Geometry } from "./letterbox.js";
import type { Manifest } from "./manifest.js";
import type { Route } from "./results.js";

export interface Answered {
  decoded: Decoded;
  warnings: Warning[];
  decode: Route;
}

/** What is on the GPU is given back, whatever comes of it. */
export async function answer(
  { decide, route }: Judge,
  manifest: Manifest,
  outputs: AnyTensors,
  geometry: Geometry,
  asking: Asking,
): Promise<Answered> {
  const kept: Record<string, GpuTensor> = {};
  const others: Tensors = {};
  for (const [name, tensor] of Object.entries(outputs)) {
    if (isOnGpu(tensor)) kept[name] = tensor;
    else others[name] = tensor;
  }
  if (Object.keys(kept).length === 0 || decide === null) {
    const usual: Route = decide === null ? route : { path: "cpu", why: notLeft(manifest.task, asking) };
    return here(manifest, await inMemory(outputs), geometry, asking, usual);
  }
  try {
    return { ...(await decide(manifest, kept, others, geometry, asking)), decode: route };
  } catch (error) {
    if (error instanceof WebbuildError) throw error;
    const why = `the GPU did not take them: ${error}`;
    return here(manifest, await inMemory(outputs), geometry, asking, { path: "cpu", why });
  } finally {
    for (const tensor of Object.values(kept)) tensor.release();
  }
}

function notLeft({ kind }: Manifest["task"], { wish }: Asking): string {
  if (wish !== null && !wish.colors) return "numbers were asked for, no colours";
  return kind === "panoptic" ? "masks are read one by one in this mode" : "the run was repeated elsewhere";
}

async function here(
  manifest: Manifest,
  outputs: Tensors,
  geometry: Geometry,
  asking: Asking,
  route: Route,
): Promise<Answered> {
  const decoded = decode(manifest, outputs, geometry, asking);
  if (decoded.kind === "depth" && asking.wish?.colors)
    decoded.colors = await colored(manifest, outputs, geometry, decoded, asking.wish.fade);
  return { decoded, warnings: answerWarnings(manifest, decoded, outputs), decode: route };
}

async function colored(
  manifest: Manifest,
  outputs: Tensors,
  geometry: Geometry,
  scale: Scale,
  fade: boolean,
): Promise<ImageBitmap> {
  if (manifest.task.kind !== "depth") throw internalError(`a task ${manifest.task.kind} has no colours`);
  const { depth, confidence } = depthMaps(manifest, manifest.task, outputs);
  const fading = fade && confidence !== null ? fadingOf(geometry, confidence) : null;
  return createImageBitmap(paintMap(geometry, depth, scale, fading));
}
