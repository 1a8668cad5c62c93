// Times a run on blank pictures or zeros, to compare backends.

import { closeResults } from "../api/close-results.js";
import type { SharedEngine } from "../engine/shared-engine.js";
import type { Manifest } from "../manifest/manifest.js";
import { pictureBatch } from "../manifest/variants.js";
import { zeroFeeds } from "../session/warm-up.js";
import { taskOf } from "../tasks/registry.js";
import { releaseTensors } from "../tensors/gpu-tensor.js";
import type { HostedModel } from "./hosted-model.js";
import { infer } from "./infer.js";

/** The size of the blank picture: a camera frame. */
const SIZE = [1280, 720] as const;
/** The input kinds of a model that can run on a blank picture without options. */
const PICTURE_ONLY: readonly Manifest["inputs"][number]["kind"][] = ["image", "option", "size"];

/**
 * Returns the milliseconds; null for a model with plain tensor inputs, since the manifest has no valid values
 * for them.
 */
export async function timedRun(model: HostedModel, engine: SharedEngine): Promise<number | null> {
  const { manifest, predictor, preprocessor, tools } = model;
  const feeds = zeroFeeds(manifest, tools);
  if (feeds === null) return null;
  const task = taskOf(manifest);
  if (manifest.inputs.every(({ kind }) => PICTURE_ONLY.includes(kind))) {
    // The time from picture to result, since backends also differ in pre- and postprocessing.
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
