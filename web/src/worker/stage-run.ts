// Runs a later stage on a scene.

import { internalError } from "../api/errors.js";
import type { Result, Tensors, Warning } from "../api/types.js";
import type { SharedEngine } from "../engine/shared-engine.js";
import { numberFeeds } from "../inputs/number-inputs.js";
import { sizeFeeds } from "../inputs/size-inputs.js";
import { optionFeeds } from "../inputs/validate-inputs.js";
import { stageInputs } from "../manifest/stages.js";
import { glueFeeds } from "../stages/glue.js";
import type { SceneRef } from "../stages/scene-store.js";
import type { SceneView } from "../stages/scene-view.js";
import { taskContext, taskOf } from "../tasks/registry.js";
import { taskOptionNames } from "../tasks/task-options.js";
import type { AnyTensors } from "../tensors/gpu-tensor.js";
import type { HostedModel } from "./hosted-model.js";
import { preparePictures } from "./prepare-pictures.js";
import { decodeRun, type KeptOutputs, type PreparedRun, runGraph } from "./run-outputs.js";
import type { WorkerRunOptions } from "./worker-run-options.js";

/** The answer of a run whose outputs stay in the scene. */
export interface StageReport {
  timings: Result["timings"];
  warnings: Warning[];
}

/** All outputs of a run. */
export interface StageTensors {
  outputs: Tensors;
  timings: Pick<Result["timings"], "total">;
}

/** Runs the stage in the way of its task. */
export async function runStage(
  model: HostedModel,
  engine: SharedEngine,
  ref: SceneRef,
  options: WorkerRunOptions,
): Promise<Result> {
  const run = await prepareStageRun(model, engine, ref, options);
  const { results } = await decodeRun(model, engine, run, await runGraph(model, run));
  const [result] = results;
  if (result === undefined) throw internalError("a stage without a result");
  return result;
}

/** Runs the stage without options, and adds its outputs for later stages to the scene. */
export async function advanceScene(
  model: HostedModel,
  engine: SharedEngine,
  ref: SceneRef,
  kept: Pick<KeptOutputs, "names" | "onGpu">,
): Promise<StageReport> {
  const { manifest } = model;
  const run = await prepareStageRun(model, engine, ref, {});
  const keeps = { ...kept, decodes: !taskOf(manifest).resultIsOutputs };
  const found = await decodeRun(model, engine, run, await runGraph(model, run, keeps));
  const [result = null] = found.results;
  engine.scenes.add(ref, manifest.stageName ?? "", found.kept, result);
  return { timings: found.timings, warnings: result?.warnings ?? [] };
}

/** Runs the stage on tensors. Inputs from earlier stages that are not in `feeds` come from the scene. */
export async function runStageTensors(
  model: HostedModel,
  engine: SharedEngine,
  ref: SceneRef,
  feeds: Tensors,
): Promise<StageTensors> {
  const started = performance.now();
  const joined = await joinedFeeds(model, engine, ref, Object.keys(feeds));
  const glued = await gluedFeeds(model, engine, ref, Object.keys(feeds));
  const { outputs } = await model.predictor.runRaw({ ...joined, ...glued, ...feeds });
  return { outputs, timings: { total: performance.now() - started } };
}

/** Returns the scene's view for the stage, and the task's context for the options. */
export async function stageContext(
  { manifest, tools }: HostedModel,
  engine: SharedEngine,
  ref: SceneRef,
  options: WorkerRunOptions,
): Promise<{ view: SceneView; context: unknown }> {
  const readsPicture = taskOf(manifest).readsPicture || manifest.inputs.some(({ kind }) => kind === "crop");
  const { scenes } = engine;
  const whole = readsPicture ? await scenes.decoded(ref) : scenes.find(ref).view;
  const view = { ...whole, results: earlierResults(whole.results, manifest.stageName) };
  return { view, context: taskContext(manifest, options, tools, view) };
}

/**
 * Returns the results of the stages before `stage`. A stage that is run again for timing must not see later
 * ones.
 */
export function earlierResults(results: SceneView["results"], stage = ""): SceneView["results"] {
  const own = [...results.keys()].indexOf(stage);
  return own < 0 ? results : new Map([...results].slice(0, own));
}

/** Returns the stage's inputs from earlier stages, except those in `given`. */
export function joinedFeeds(
  { manifest, backend }: HostedModel,
  engine: SharedEngine,
  ref: SceneRef,
  given: readonly string[] = [],
): Promise<AnyTensors> {
  const inputs = stageInputs(manifest).filter(({ name }) => !given.includes(name));
  const onGpu = backend === "webgpu";
  const feeds = (): Promise<AnyTensors> => engine.scenes.feeds(ref, inputs, onGpu);
  return !onGpu && engine.scenes.isOnGpu(ref) ? engine.gpu.guard(feeds) : feeds();
}

/** Returns the inputs that the stage's glue code computes, except those in `given`; none without glue. */
async function gluedFeeds(
  { manifest, glue }: HostedModel,
  engine: SharedEngine,
  ref: SceneRef,
  given: readonly string[] = [],
): Promise<Tensors> {
  if (glue === null) return {};
  const feeds = (): Promise<Tensors> => glueFeeds(glue, manifest, engine.scenes, ref, given);
  return engine.scenes.isOnGpu(ref) ? engine.gpu.guard(feeds) : feeds();
}

/** Returns the inputs that the options define. */
export function stageOptionFeeds(
  { manifest }: HostedModel,
  view: SceneView,
  options: WorkerRunOptions,
  context: unknown,
): Tensors {
  const { inputs } = manifest;
  return {
    ...optionFeeds(inputs, options, taskOptionNames(manifest)),
    ...numberFeeds(inputs, options.numbers),
    ...sizeFeeds(inputs, view.geometry.source),
    ...taskOf(manifest).feeds?.(manifest, context),
  };
}

/** Makes all inputs of the stage. It may also take the scene's picture, with its own preprocessing. */
async function prepareStageRun(
  model: HostedModel,
  engine: SharedEngine,
  ref: SceneRef,
  options: WorkerRunOptions,
): Promise<PreparedRun> {
  const started = performance.now();
  const { size, route: lookRoute } = engine.scenes.find(ref);
  const { view, context } = await stageContext(model, engine, ref, options);
  const pictures = [view.picture];
  const prepared = model.manifest.inputs.some(({ kind }) => kind === "image")
    ? await preparePictures(model, pictures, 1)
    : null;
  const feeds = {
    ...stageOptionFeeds(model, view, options, context),
    ...(prepared === null ? {} : { [prepared.name]: prepared.tensor }),
    ...(await joinedFeeds(model, engine, ref)),
    ...(await gluedFeeds(model, engine, ref)),
  };
  const geometries = prepared?.geometries ?? [view.geometry];
  const { route = lookRoute } = prepared ?? {};
  return { feeds, context, pictures, geometries, size, route, warnings: [], started };
}
