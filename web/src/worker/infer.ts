// One run on pictures: preprocessing, inference, post-processing.

import { internalError } from "../api/errors.js";
import type { Result, Warning } from "../api/types.js";
import type { SharedEngine } from "../engine/shared-engine.js";
import { focusFeeds } from "../inputs/focus-distances.js";
import { isMaskSource, maskFeeds, readHole } from "../inputs/mask-input.js";
import { numberFeeds } from "../inputs/number-inputs.js";
import { sizeFeeds } from "../inputs/size-inputs.js";
import { optionFeeds } from "../inputs/validate-inputs.js";
import { forOnePicture, pictureBatch, pictureSize } from "../manifest/variants.js";
import { neededOutputs } from "../postprocess/decode.js";
import { runGpuOutputs } from "../postprocess/gpu-postprocess.js";
import { type PostprocessResult, postprocess } from "../postprocess/postprocess.js";
import type { Geometry } from "../preprocess/letterbox.js";
import { type Picture, sizeOf } from "../preprocess/pixels.js";
import type { PreprocessedInput } from "../preprocess/preprocess.js";
import type { Prediction } from "../session/predictor.js";
import type { StateRequest } from "../session/stream-states.js";
import { taskContext, taskOf } from "../tasks/registry.js";
import { taskOptionNames } from "../tasks/task-options.js";
import { outputsOf } from "../tensors/batch.js";
import type { AnyTensors } from "../tensors/gpu-tensor.js";
import type { HostedModel } from "./hosted-model.js";
import { changedPicture, preparePictures } from "./prepare-pictures.js";
import type { WorkerRunOptions } from "./worker-host.js";

export interface InferenceRequest {
  id: number;
  pictures: readonly Picture[];
  options: WorkerRunOptions;
  /** The state that the run reads, null for a model without state. */
  state: StateRequest | null;
}

/** The tensors of a run, and what its outputs are to be decoded with. */
interface RunFeeds {
  feeds: AnyTensors;
  context: unknown;
  geometries: Geometry[];
  route: PreprocessedInput["route"];
  warnings: Warning[];
}

/** Returns the result of the picture or stack; of a batch, of each picture. */
export async function infer(
  model: HostedModel,
  engine: SharedEngine,
  request: InferenceRequest,
): Promise<Result[]> {
  const started = performance.now();
  const { manifest, predictor, states, postprocessor } = model;
  const { id, pictures, state } = request;
  const alone = forOnePicture(manifest);
  const { feeds, context, geometries, ...prepared } = await runFeeds(model, request);
  const [geometry] = geometries;
  const [first] = pictures;
  if (geometry === undefined || first === undefined) throw internalError("a run without a picture");
  const ready = performance.now();
  const gpuOutputs = runGpuOutputs(postprocessor, alone, context);
  const { outputs, backend, fallback, ...left } = await predictor.predict(
    feeds,
    neededOutputs(alone, context),
    gpuOutputs,
  );
  if (state) states.keep(state.stream, id, { tensors: left.states, size: geometry.source });
  const inferred = performance.now();
  const batch = pictureBatch(manifest);
  const postprocessing = (): Promise<PostprocessResult[]> =>
    Promise.all(
      geometries.map((each, at) => {
        const own = batch > 1 ? outputsOf(outputs, at, batch) : outputs;
        return postprocess(postprocessor, alone, own, each, context, pictures[at] ?? first);
      }),
    );
  const found = await (gpuOutputs.length > 0 ? engine.gpu.guard(postprocessing) : postprocessing());
  const ended = performance.now();
  const timings = {
    preprocess: ready - started,
    inference: inferred - ready,
    postprocess: ended - inferred,
    total: ended - started,
  };
  return found.map(({ decoded, route, warnings }) => ({
    ...decoded,
    size: pictureSize(manifest) ?? [0, 0],
    timings,
    preprocess: prepared.route,
    postprocess: route,
    backend,
    fallback,
    warnings: [...warnings, ...fallbackWarnings(fallback), ...prepared.warnings],
  }));
}

/** Everything that the graph takes: of the pictures, of the options, and the state. */
async function runFeeds(model: HostedModel, request: InferenceRequest): Promise<RunFeeds> {
  const { manifest, states, tools } = model;
  const { pictures, options, state } = request;
  const task = taskOf(manifest);
  for (const picture of pictures)
    if (!(picture instanceof Blob)) task.checkPicture?.(manifest.task, sizeOf(picture));
  const prepared = await preparePictures(model, pictures, pictureBatch(manifest));
  const { name, tensor, geometries, route } = prepared;
  const [geometry] = geometries;
  if (geometry === undefined) throw internalError("a run without a picture");
  const { mask: given } = options;
  const hole = isMaskSource(given) ? readHole(given, geometry.source) : null;
  const asked = hole === null ? options : { ...options, mask: hole.data };
  const context = taskContext(forOnePicture(manifest), asked, tools);
  const masked = maskFeeds(manifest.inputs, hole, geometry);
  const change = masked?.change ?? null;
  const picture = change === null ? tensor : await changedPicture(model, tensor, change);
  const fromOptions = {
    ...optionFeeds(manifest.inputs, options, taskOptionNames(manifest)),
    ...focusFeeds(manifest.inputs, options.focusDistances),
    ...numberFeeds(manifest.inputs, options.numbers),
    ...masked?.feeds,
    ...sizeFeeds(manifest.inputs, geometry.source),
    ...task.feeds?.(manifest, context),
  };
  const begun = state && states.begin(state, geometry.source);
  const feeds = { ...fromOptions, ...begun?.feeds, [name]: picture };
  return { feeds, context, geometries, route, warnings: begun?.warnings ?? [] };
}

function fallbackWarnings(fallback: Prediction["fallback"]): Warning[] {
  if (fallback === null) return [];
  const message = `the run was repeated on ${fallback.target}: ${fallback.reason}`;
  const fix = "raise the confidence threshold, or pack the model again with --nms cpu";
  return [{ code: "ran-fallback", message, fix }];
}
