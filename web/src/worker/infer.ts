// A run on pictures: preprocessing, inference, postprocessing.

import { internalError } from "../api/errors.js";
import type { Tensors } from "../api/types.js";
import type { SharedEngine } from "../engine/shared-engine.js";
import { focusFeeds } from "../inputs/focus-distances.js";
import { isMaskSource, maskFeeds, readHole } from "../inputs/mask-input.js";
import { numberFeeds } from "../inputs/number-inputs.js";
import { sizeFeeds } from "../inputs/size-inputs.js";
import { optionFeeds } from "../inputs/validate-inputs.js";
import { forOnePicture, pictureBatch, pictureSize } from "../manifest/variants.js";
import { sizeOf } from "../preprocess/canvas-pixels.js";
import type { Geometry } from "../preprocess/letterbox.js";
import type { Picture } from "../preprocess/pixels.js";
import type { StateRequest } from "../session/stream-states.js";
import { taskContext, taskOf } from "../tasks/registry.js";
import { taskOptionNames } from "../tasks/task-options.js";
import type { HostedModel } from "./hosted-model.js";
import { changedPicture, preparePictures } from "./prepare-pictures.js";
import {
  decodeRun,
  type Inference,
  KEEPS_NOTHING,
  type KeptOutputs,
  type PreparedRun,
  runGraph,
} from "./run-outputs.js";
import type { WorkerRunOptions } from "./worker-run-options.js";

export interface InferenceRequest {
  id: number;
  pictures: readonly Picture[];
  options: WorkerRunOptions;
  /** The state to read, null for a model without state. */
  state: StateRequest | null;
}

/**
 * Returns the result of the picture or stack; for a batch, of each picture. `geometry` is that of the first
 * picture.
 */
export async function infer(
  model: HostedModel,
  engine: SharedEngine,
  request: InferenceRequest,
  keeps: KeptOutputs = KEEPS_NOTHING,
): Promise<Inference & { geometry: Geometry; run: PreparedRun }> {
  const { id, state } = request;
  const run = await prepareRun(model, engine, request);
  const [geometry] = run.geometries;
  if (geometry === undefined) throw internalError("a run without a picture");
  const graph = await runGraph(model, run, keeps);
  if (state) model.states.keep(state.stream, id, { tensors: graph.states, size: geometry.source });
  return { ...(await decodeRun(model, engine, run, graph)), geometry, run };
}

/** Makes all inputs of the graph: from the pictures, the options and the state. */
async function prepareRun(
  model: HostedModel,
  engine: SharedEngine,
  request: InferenceRequest,
): Promise<PreparedRun> {
  const started = performance.now();
  const { manifest, states, tools } = model;
  const { pictures, options, state } = request;
  const task = taskOf(manifest);
  for (const picture of pictures)
    if (!(picture instanceof Blob)) task.checkPicture?.(manifest.task, sizeOf(picture));
  const prepared = await preparePictures(model, pictures, pictureBatch(manifest));
  const { name, tensor, geometries, route } = prepared;
  const [geometry] = geometries;
  if (geometry === undefined) throw internalError("a run without a picture");
  const hole = isMaskSource(options.mask) ? readHole(options.mask, geometry.source) : null;
  const readOptions = hole === null ? options : { ...options, mask: hole.data };
  const context = taskContext(forOnePicture(manifest), readOptions, tools);
  const { feeds: mask = {}, change = null } = maskFeeds(manifest.inputs, hole, geometry) ?? {};
  const picture = change === null ? tensor : await changedPicture(model, engine, tensor, change);
  const others = await otherFeeds(model, options, { mask, geometry, context });
  const begun = state && states.begin(state, geometry.source);
  const feeds = { ...others, ...begun?.feeds, [name]: picture };
  const size = pictureSize(manifest) ?? [0, 0];
  const warnings = begun?.warnings ?? [];
  return { feeds, context, pictures, geometries, size, route, warnings, started };
}

/** Makes the inputs other than pictures and states. */
async function otherFeeds(
  { manifest, references }: HostedModel,
  options: WorkerRunOptions,
  { mask, geometry, context }: { mask: Tensors; geometry: Geometry; context: unknown },
): Promise<Tensors> {
  // In the worker, an option's picture is the packed one.
  const reference = options.reference as Picture | undefined;
  return {
    ...optionFeeds(manifest.inputs, options, taskOptionNames(manifest)),
    ...focusFeeds(manifest.inputs, options.focusDistances),
    ...numberFeeds(manifest.inputs, options.numbers),
    ...mask,
    ...(await references.feeds(reference, options.pictureKeys?.reference)),
    ...sizeFeeds(manifest.inputs, geometry.source),
    ...taskOf(manifest).feeds?.(manifest, context),
  };
}
