// The outputs of a run into its answer: masks that stayed on the GPU there, everything else here.

import type { Tensors, Warning } from "./api.js";
import type { Judge } from "./contest/judge.js";
import { answerWarnings, type Decoded, decode } from "./decode.js";
import { WebbuildError } from "./errors.js";
import { type AnyTensors, inMemory, isOnGpu } from "./gpu-tensor.js";
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
  { decide, route }: Judge,
  manifest: Manifest,
  outputs: AnyTensors,
  geometry: Geometry,
  reading: Reading | null,
): Promise<Answered> {
  const masks = Object.values(outputs).find(isOnGpu);
  if (masks === undefined || decide === null) {
    const usual: Route = decide === null ? route : { path: "cpu", why: notLeft(manifest.task) };
    return here(manifest, await inMemory(outputs), geometry, reading, usual);
  }
  try {
    const others = Object.fromEntries(Object.entries(outputs).filter(([, tensor]) => tensor !== masks));
    return { ...(await decide(manifest, masks, await inMemory(others), geometry)), decode: route };
  } catch (error) {
    if (error instanceof WebbuildError) throw error;
    const why = `the GPU did not take the masks: ${error}`;
    return here(manifest, await inMemory(outputs), geometry, reading, { path: "cpu", why });
  } finally {
    masks.release();
  }
}

function notLeft({ kind }: Manifest["task"]): string {
  return kind === "panoptic" ? "masks are read one by one in this mode" : "the run was repeated elsewhere";
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
