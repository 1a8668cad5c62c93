// The last two steps of a run: runs the graph, and decodes its outputs into results.

import type { PictureSize, Result, Warning } from "../api/types.js";
import type { SharedEngine } from "../engine/shared-engine.js";
import { forOnePicture, pictureBatch } from "../manifest/variants.js";
import { neededOutputs } from "../postprocess/decode.js";
import { runGpuOutputs } from "../postprocess/gpu-postprocess.js";
import { type PostprocessResult, postprocess } from "../postprocess/postprocess.js";
import type { Geometry } from "../preprocess/letterbox.js";
import type { Picture } from "../preprocess/pixels.js";
import type { PreprocessedInput } from "../preprocess/preprocess.js";
import type { Prediction } from "../session/predictor.js";
import { outputsOf } from "../tensors/batch.js";
import { type AnyTensors, copyOf, isOnGpu, releaseTensors } from "../tensors/gpu-tensor.js";
import type { HostedModel } from "./hosted-model.js";

/** Which outputs stay in the worker for later stages. */
export interface KeptOutputs {
  names: readonly string[];
  /** The names of those that stay on the GPU. */
  onGpu: readonly string[];
  /** Whether the outputs are also decoded into a result. */
  decodes: boolean;
}

export const KEEPS_NOTHING: KeptOutputs = { names: [], onGpu: [], decodes: true };

/** The inputs of a run, and the data for decoding its outputs. */
export interface PreparedRun {
  feeds: AnyTensors;
  context: unknown;
  pictures: readonly Picture[];
  geometries: readonly Geometry[];
  size: PictureSize;
  route: PreprocessedInput["route"];
  warnings: readonly Warning[];
  /** When preprocessing began, as performance.now(). */
  started: number;
}

/** The outputs of the graph, and which of them are decoded on the GPU. */
export interface GraphRun extends Prediction {
  keeps: KeptOutputs;
  /** The outputs that the task needs. */
  needed: readonly string[];
  /** The names of those that are decoded on the GPU. */
  gpuOutputs: readonly string[];
  /** When inference began and ended, as performance.now(). */
  ready: number;
  inferred: number;
}

export interface Inference {
  /** The result of the picture or stack; for a batch, of each picture. */
  results: Result[];
  /** The outputs that stay in the worker. */
  kept: AnyTensors;
  timings: Result["timings"];
  backend: Prediction["backend"];
}

/** Runs the graph. */
export async function runGraph(
  { manifest, predictor, postprocessor }: HostedModel,
  { feeds, context }: PreparedRun,
  keeps: KeptOutputs = KEEPS_NOTHING,
): Promise<GraphRun> {
  const ready = performance.now();
  const alone = forOnePicture(manifest);
  const gpuOutputs = keeps.decodes ? runGpuOutputs(postprocessor, alone, context) : [];
  const needed = keeps.decodes ? neededOutputs(alone, context) : [];
  const names = [...new Set([...needed, ...keeps.names])];
  const prediction = await predictor.predict(feeds, names, [...gpuOutputs, ...keeps.onGpu]);
  return { ...prediction, keeps, needed, gpuOutputs, ready, inferred: performance.now() };
}

/** Decodes the outputs of the graph. If that fails, releases all of them. */
export async function decodeRun(
  model: HostedModel,
  engine: SharedEngine,
  run: PreparedRun,
  graph: GraphRun,
): Promise<Inference> {
  const { keeps, needed, gpuOutputs, backend } = graph;
  const kept: AnyTensors = Object.fromEntries(
    Object.entries(graph.outputs).filter(([name]) => keeps.names.includes(name)),
  );
  const postprocessing = async (): Promise<PostprocessResult[]> =>
    keeps.decodes ? decodeAll(model, run, await decodedOutputs(graph, kept)) : [];
  try {
    const readsGpu = gpuOutputs.length > 0 || needed.some((name) => isOnGpu(kept[name]));
    const found = await (readsGpu ? engine.gpu.guard(postprocessing) : postprocessing());
    const timings = timingsUntilNow(run, graph);
    const results = found.map((each) => toResult(each, run, graph, timings));
    return { results, kept, timings, backend };
  } catch (error) {
    releaseTensors(graph.outputs);
    throw error;
  }
}

function timingsUntilNow({ started }: PreparedRun, { ready, inferred }: GraphRun): Result["timings"] {
  const ended = performance.now();
  return {
    preprocess: ready - started,
    inference: inferred - ready,
    postprocess: ended - inferred,
    total: ended - started,
  };
}

function toResult(
  { decoded, route, warnings }: PostprocessResult,
  run: PreparedRun,
  { backend, fallback }: GraphRun,
  timings: Result["timings"],
): Result {
  return {
    ...decoded,
    size: run.size,
    timings,
    preprocess: run.route,
    postprocess: route,
    backend,
    fallback,
    warnings: [...warnings, ...fallbackWarnings(fallback), ...run.warnings],
  };
}

/** Returns the outputs to decode. Outputs that also stay in the worker are copied. */
async function decodedOutputs(
  { outputs, needed, gpuOutputs }: GraphRun,
  kept: AnyTensors,
): Promise<AnyTensors> {
  const decoded: AnyTensors = {};
  for (const name of needed) {
    const tensor = outputs[name];
    if (tensor !== undefined)
      decoded[name] = name in kept ? await copyOf(tensor, gpuOutputs.includes(name)) : tensor;
  }
  return decoded;
}

async function decodeAll(
  { manifest, postprocessor }: HostedModel,
  { geometries, context, pictures }: PreparedRun,
  outputs: AnyTensors,
): Promise<PostprocessResult[]> {
  const batch = pictureBatch(manifest);
  const alone = forOnePicture(manifest);
  const [first] = pictures;
  if (first === undefined) return [];
  return Promise.all(
    geometries.map((each, at) => {
      const own = batch > 1 ? outputsOf(outputs, at, batch) : outputs;
      return postprocess(postprocessor, alone, own, each, context, pictures[at] ?? first);
    }),
  );
}

function fallbackWarnings(fallback: Prediction["fallback"]): Warning[] {
  if (fallback === null) return [];
  const message = `the run was repeated on ${fallback.target}: ${fallback.reason}`;
  const fix = "raise the confidence threshold, or pack the model again with --nms cpu";
  return [{ code: "ran-fallback", message, fix }];
}
