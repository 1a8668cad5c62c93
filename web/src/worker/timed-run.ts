// A run on made-up inputs, to measure how long one takes here.

import { closeResults } from "../api/close-results.js";
import type { SharedEngine } from "../engine/shared-engine.js";
import type { Manifest } from "../manifest/manifest.js";
import { pictureBatch } from "../manifest/variants.js";
import { zeroFeeds } from "../session/warm-up.js";
import { taskOf } from "../tasks/registry.js";
import { releaseTensors } from "../tensors/gpu-tensor.js";
import type { HostedModel } from "./hosted-model.js";
import { infer } from "./infer.js";

/** Pixels of the picture: what a camera gives. */
const SIZE = [1280, 720] as const;
/** Inputs of a model that needs one picture and nothing else that is not made up. */
const PLAIN: readonly Manifest["inputs"][number]["kind"][] = ["image", "option", "size"];

/** Returns the milliseconds, null for a model whose inputs nobody knows. */
export async function timedRun(model: HostedModel, engine: SharedEngine): Promise<number | null> {
  const { manifest, predictor, preprocessor, tools } = model;
  const feeds = zeroFeeds(manifest, tools);
  if (feeds === null) return null;
  const task = taskOf(manifest);
  if (manifest.inputs.every(({ kind }) => PLAIN.includes(kind))) {
    // The whole of it, from the picture to the result: each backend does a part of that elsewhere.
    const pictures = Array.from({ length: pictureBatch(manifest) }, () => new ImageData(...SIZE));
    const options = task.warmUpOptions?.(manifest.task) ?? {};
    const start = performance.now();
    const { results } = await infer(model, engine, { id: -1, pictures, options, state: null });
    closeResults(results);
    return performance.now() - start;
  }
  const start = performance.now();
  const { states } = await predictor.runRaw(preprocessor.upload(feeds));
  releaseTensors(states);
  return performance.now() - start;
}
