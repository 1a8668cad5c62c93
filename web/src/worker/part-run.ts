// Runs a later stage on parts of a scene's picture, such as crops or points of a grid, in batches of the
// graph's size. The decoded outputs of one part are a piece; all pieces are joined into the result.

import { internalError } from "../api/errors.js";
import type { PictureSize, Result } from "../api/types.js";
import type { SharedEngine } from "../engine/shared-engine.js";
import type { SceneRef } from "../stages/scene-store.js";
import { taskOf } from "../tasks/registry.js";
import type { PartRules, TaskFields, TaskSpec } from "../tasks/task-module.js";
import { readTensors, releaseTensors } from "../tensors/gpu-tensor.js";
import type { HostedModel } from "./hosted-model.js";
import { joinedFeeds, type StageReport, stageContext, stageOptionFeeds } from "./stage-run.js";
import type { WorkerRunOptions } from "./worker-run-options.js";

/** The pieces of a batch, and their timings. */
export interface PartBatch {
  pieces: unknown[];
  timings: Result["timings"];
}

/** The pieces of all batches in the order of the parts, and their timings. */
export interface JoinedParts extends PartBatch {
  /** The input sizes that a part may run at. */
  sizes: readonly PictureSize[];
}

/** Returns for each part the size of its text line, null if it is not a text line. */
export async function partLines(
  model: HostedModel,
  engine: SharedEngine,
  ref: SceneRef,
  options: WorkerRunOptions,
): Promise<(PictureSize | null)[]> {
  const { view, context } = await stageContext(model, engine, ref, options);
  return partRules(model).lines(model.manifest, view, context);
}

/** Runs the graph on a batch of parts. */
export async function runParts(
  model: HostedModel,
  engine: SharedEngine,
  ref: SceneRef,
  options: WorkerRunOptions,
  which: readonly number[],
): Promise<PartBatch> {
  const started = performance.now();
  const { manifest, predictor, backend } = model;
  const parts = partRules(model);
  const { view, context } = await stageContext(model, engine, ref, options);
  const device = backend === "webgpu" ? await engine.device() : null;
  const own = await parts.feeds(manifest, view, which, context, device);
  const feeds = {
    ...stageOptionFeeds(model, view, options, context),
    ...own,
    ...(await joinedFeeds(model, engine, ref)),
  };
  const ready = performance.now();
  const names = taskOf(manifest).neededOutputs(manifest, context);
  const { outputs } = await predictor.predict(feeds, names).finally(() => releaseTensors(own));
  const inferred = performance.now();
  const pieces = parts.decode(manifest, await readTensors(outputs), view, which, context);
  const ended = performance.now();
  const timings = {
    preprocess: ready - started,
    inference: inferred - ready,
    postprocess: ended - inferred,
    total: ended - started,
  };
  return { pieces, timings };
}

/** Joins all pieces into the result. */
export async function joinParts(
  model: HostedModel,
  engine: SharedEngine,
  ref: SceneRef,
  options: WorkerRunOptions,
  { pieces, timings, sizes }: JoinedParts,
): Promise<Result> {
  const { manifest, backend, postprocessor } = model;
  const { size, route } = engine.scenes.find(ref);
  const { view, context } = await stageContext(model, engine, ref, options);
  const parts = partRules(model);
  const joined = parts.join(manifest, pieces, view, context);
  const warnings = [
    ...(taskOf(manifest).warnings?.(joined) ?? []),
    ...(parts.warnings?.(manifest, view, sizes) ?? []),
  ];
  const run = { size, timings, preprocess: route, postprocess: postprocessor.route, backend };
  return { ...joined, ...run, fallback: null, warnings } as unknown as Result;
}

/** Joins all pieces into a result, and adds it to the scene for later stages. */
export async function keepParts(
  model: HostedModel,
  engine: SharedEngine,
  ref: SceneRef,
  all: JoinedParts,
): Promise<StageReport> {
  const result = await joinParts(model, engine, ref, {}, all);
  engine.scenes.add(ref, model.manifest.stageName ?? "", {}, result);
  return { timings: all.timings, warnings: result.warnings };
}

function partRules({ manifest }: HostedModel): PartRules<TaskSpec, TaskFields, unknown> {
  const { parts } = taskOf(manifest);
  if (parts === undefined) throw internalError(`the task of stage ${manifest.stageName} has no parts`);
  return parts;
}
