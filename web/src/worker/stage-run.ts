// A run of a later stage on a scene.

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
import type { WorkerRunOptions } from "./worker-host.js";

/** What the page learns of a run whose outputs stay in the scene. */
export interface StageReport {
  timings: Result["timings"];
  warnings: Warning[];
}

/** All outputs of a run. */
export interface StageTensors {
  outputs: Tensors;
  timings: Pick<Result["timings"], "total">;
}

/** Runs the stage as its task says. */
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

/** Runs the stage with nothing asked, and adds what others take of it to the scene. */
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

/** Runs the stage on tensors; those of earlier stages are the scene's where they are not given. */
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

/** What the task makes of the options for this scene, and what it sees of the scene. */
export async function stageContext(
  { manifest, tools }: HostedModel,
  engine: SharedEngine,
  ref: SceneRef,
  options: WorkerRunOptions,
): Promise<{ view: SceneView; context: unknown }> {
  const reads = taskOf(manifest).readsPicture || manifest.inputs.some(({ kind }) => kind === "crop");
  const { scenes } = engine;
  const whole = reads ? await scenes.decoded(ref) : scenes.find(ref).view;
  const view = { ...whole, results: earlierResults(whole.results, manifest.stageName) };
  return { view, context: taskContext(manifest, options, tools, view) };
}

/** A stage that runs again, to be compared, sees nothing of itself and of those after it. */
export function earlierResults(results: SceneView["results"], stage = ""): SceneView["results"] {
  const own = [...results.keys()].indexOf(stage);
  return own < 0 ? results : new Map([...results].slice(0, own));
}

/** Returns the tensors that the stage takes of earlier ones, but for those that are `given`. */
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

/** Returns the tensors that the stage's glue makes, but for those that are `given`; none for a stage without. */
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

/** Returns the tensors of the stage's options. */
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

/** A stage may take the scene's picture too, prepared in its own way. */
async function prepareStageRun(
  model: HostedModel,
  engine: SharedEngine,
  ref: SceneRef,
  options: WorkerRunOptions,
): Promise<PreparedRun> {
  const started = performance.now();
  const { size, route } = engine.scenes.find(ref);
  const { view, context } = await stageContext(model, engine, ref, options);
  const pictures = [view.picture];
  const seen = model.manifest.inputs.some(({ kind }) => kind === "image")
    ? await preparePictures(model, pictures, 1)
    : null;
  const feeds = {
    ...stageOptionFeeds(model, view, options, context),
    ...(seen === null ? {} : { [seen.name]: seen.tensor }),
    ...(await joinedFeeds(model, engine, ref)),
    ...(await gluedFeeds(model, engine, ref)),
  };
  const geometries = seen?.geometries ?? [view.geometry];
  const own = seen?.route ?? route;
  return { feeds, context, pictures, geometries, size, route: own, warnings: [], started };
}
