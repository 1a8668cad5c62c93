// The outputs of a run into its answer: masks that stayed on the GPU there, everything else here.

import type { Tensors, Warning } from "./api.js";
import type { GpuContest } from "./contest/gpu-contest.js";
import type { Judge } from "./contest/judge.js";
import { regionsOnGpu } from "./contest/regions.js";
import { answerWarnings, classScores, type Decoded, decode, maskSizes } from "./decode.js";
import { degenerateWarnings, mapWarnings } from "./degenerate.js";
import { internalError, WebbuildError } from "./errors.js";
import { type AnyTensors, type GpuTensor, inMemory, isOnGpu } from "./gpu-tensor.js";
import type { Geometry } from "./letterbox.js";
import type { Manifest } from "./manifest.js";
import type { Route } from "./results.js";
import type { Reading } from "./tasks/phrases.js";

export interface Answered {
  decoded: Decoded;
  warnings: Warning[];
  decode: Route;
}

/** Masks that are on the GPU are given back, whatever comes of it. */
export async function answer(
  { contest, route }: Judge,
  manifest: Manifest,
  outputs: AnyTensors,
  geometry: Geometry,
  reading: Reading | null,
): Promise<Answered> {
  const masks = Object.values(outputs).find(isOnGpu);
  if (masks === undefined || contest === null) {
    const why = "masks are read one by one in this mode";
    const usual: Route = contest === null ? route : { path: "cpu", why };
    return here(manifest, await inMemory(outputs), geometry, reading, usual);
  }
  try {
    const others = Object.fromEntries(Object.entries(outputs).filter(([, tensor]) => tensor !== masks));
    return { ...(await there(contest, manifest, masks, await inMemory(others), geometry)), decode: route };
  } catch (error) {
    if (error instanceof WebbuildError) throw error;
    const why = `the GPU did not take the masks: ${error}`;
    return here(manifest, await inMemory(outputs), geometry, reading, { path: "cpu", why });
  } finally {
    masks.release();
  }
}

function here(
  manifest: Manifest,
  outputs: Tensors,
  geometry: Geometry,
  reading: Reading | null,
  route: Route,
): Answered {
  const decoded = decode(manifest, outputs, geometry, reading);
  return { decoded, warnings: answerWarnings(manifest, decoded, outputs), decode: route };
}

async function there(
  contest: GpuContest,
  manifest: Manifest,
  { buffer }: GpuTensor,
  others: Tensors,
  geometry: Geometry,
): Promise<Omit<Answered, "decode">> {
  const { task } = manifest;
  if (task.kind !== "panoptic") throw internalError(`a task ${task.kind} left its outputs on the GPU`);
  const { count, cells, input } = maskSizes(manifest, task);
  const scores = classScores(task, others, count);
  const maps = { buffer, cells, input, raw: true };
  const { regions, map, ...told } = await regionsOnGpu(contest, task, geometry, { maps, count, scores });
  const decoded: Decoded = { kind: "panoptic", ...geometry.source, mode: task.mode, regions, map };
  return { decoded, warnings: [...degenerateWarnings(task, others), ...mapWarnings(task.masks, told)] };
}
