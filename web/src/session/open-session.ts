// The last step of loading, in the engine's queue: creates the session and its pre- and postprocessing, and
// runs the self-test or a warm-up.

import { abortedError } from "../api/errors.js";
import type { Backend, SelfTest } from "../api/types.js";
import type { Warn } from "../api/warn.js";
import type { OrtWeb } from "../engine/engine.js";
import type { SharedEngine } from "../engine/shared-engine.js";
import type { DeviceErrors } from "../gpu/device-errors.js";
import { type PipelineSource, recordPipelines } from "../gpu/pipeline-use.js";
import { stateInputs } from "../inputs/state-inputs.js";
import { findGraph } from "../manifest/graphs.js";
import type { Graph, Manifest } from "../manifest/manifest.js";
import { pictureBatch } from "../manifest/variants.js";
import { createPostprocessor, sessionGpuOutputs } from "../postprocess/gpu-postprocess.js";
import { createPreprocessor } from "../preprocess/gpu/create-preprocessor.js";
import type { Preprocessor } from "../preprocess/preprocess.js";
import { wrapsExactly } from "../preprocess/wrapped-picture-self-check.js";
import type { StatefulRunner } from "../self-test/golden-sequence.js";
import { runSelfTest } from "../self-test/self-test.js";
import type { Downloads } from "../storage/download.js";
import { copyTensors } from "../tensors/gpu-tensor.js";
import type { SessionParts } from "./fetch-parts.js";
import { storeGpuSetup } from "./gpu-setup.js";
import { createOrRefetch, fetchGraph, type GraphBytes } from "./graph-bytes.js";
import { guardCapture } from "./graph-capture.js";
import type { LoadProgress } from "./load-progress.js";
import { Predictor } from "./predictor.js";
import { Session } from "./session.js";
import type { SessionRequest, SessionSetup } from "./session-setup.js";
import { warmUp } from "./warm-up.js";

export async function openSession(
  request: SessionRequest,
  parts: SessionParts,
  progress: LoadProgress,
  warn: Warn,
  shared: SharedEngine,
  signal: AbortSignal,
): Promise<SessionSetup> {
  if (signal.aborted) throw abortedError(signal);
  const { manifest, graph, build, precisionReason } = request;
  const { engine, adapter, capture, tools, glue } = parts;
  const gpu = adapter === null ? null : shared.gpu;
  const log = request.trace ? shared.placementLog() : null;
  log?.reset();
  const session = await progress.measure("session", () => createSession(request, parts, gpu));
  const placement = log?.placement() ?? null;
  const createFallback = fallbackFactory(engine, manifest, parts.downloads);
  const predictor = new Predictor(session, manifest, gpu, createFallback);
  const { preprocessor, postprocessor, selfTest } = await progress.measure("warmup", () =>
    recordPipelines((used) => createProcessing(request, parts, predictor, shared, { used, warn })),
  );
  const threads = engine.env.wasm.numThreads ?? 1;
  const info = {
    engine: { ...manifest.engine, build: build.build, threads },
    adapter: adapter?.info ?? null,
    precision: { used: graph.precision, reason: precisionReason },
    selfTest,
    timings: progress.timings(),
    preprocess: preprocessor.defaultRoute,
    postprocess: postprocessor.route,
    suppression: session.suppression,
    graphCapture: { used: capture.used, reason: capture.reason },
    placement,
  };
  const { takesFrames } = preprocessor;
  const takesWrapped = gpu === null && (await wrapsExactly());
  return { predictor, preprocessor, postprocessor, takesFrames, takesWrapped, tools, glue, info };
}

function createSession(
  request: SessionRequest,
  { engine, bytes, capture, downloads }: SessionParts,
  gpu: DeviceErrors | null,
): Promise<Session> {
  const { manifest, graph, trace } = request;
  const onGpu = gpu === null ? [] : gpuOutputs(request);
  const captured = capture.used ? manifest.inputs : null;
  const create = (): Promise<Session> =>
    createOrRefetch(bytes, refetchGraph(graph, downloads), (each) =>
      Session.create(engine, graph, each, trace, onGpu, captured),
    );
  return guardCapture(capture, () => gpu?.guard(create) ?? create());
}

/**
 * Creates the pre- and postprocessing of the session, and runs it for the first time. If that fails, releases
 * the session and the preprocessor; a postprocessor needs no release.
 */
async function createProcessing(
  request: SessionRequest,
  parts: SessionParts,
  predictor: Predictor,
  shared: SharedEngine,
  { used, warn }: { used: () => PipelineSource[]; warn: Warn },
): Promise<Pick<SessionSetup, "preprocessor" | "postprocessor"> & { selfTest: SelfTest | null }> {
  const { adapter, capture, gpuSetup, copyFrames } = parts;
  const { inputs } = request.manifest;
  const processing = processingOf(request);
  const [gpu, engine] = adapter === null ? [null, null] : [shared.gpu, parts.engine];
  let preprocessor: Preprocessor | null = null;
  try {
    const created = await createPreprocessor({ inputs, engine, processing, copyFrames });
    preprocessor = created;
    const postprocessor = await createPostprocessor(request.manifest, engine, processing);
    const runner: StatefulRunner = {
      run: (feeds) => predictor.runRaw(created.upload(feeds)),
      copy: (states) => gpu?.guard(() => copyTensors(states)) ?? copyTensors(states),
    };
    const selfTest = await guardCapture(capture, () => runFirst(request, parts, runner));
    const setup = { device: shared.devices.request, pipelines: used() };
    if (gpuSetup.key !== null) void storeGpuSetup(gpuSetup.key, gpuSetup.stored, setup, warn);
    return { preprocessor: created, postprocessor, selfTest };
  } catch (error) {
    preprocessor?.release();
    // After a WebAssembly trap, releasing may trap again: the first error is more useful.
    await predictor.release().catch(() => {});
    throw error;
  }
}

/** Runs the self-test, or a warm-up if it passed before. Returns its result; null for a bundle without it. */
async function runFirst(
  { manifest, backend }: SessionRequest,
  { test, goldenRun, capture, gpuSetup, tools }: SessionParts,
  runner: StatefulRunner,
): Promise<SelfTest | null> {
  if (test && goldenRun) return runSelfTest(test, manifest, goldenRun, runner, capture);
  const passed = test?.passed ? { sample: test.golden.sample, fromCache: true } : null;
  // A graph that passed before needs no warm-up if its pipelines are known: they are already being compiled.
  if (passed === null || gpuSetup.stored.pipelines.length === 0)
    await warmUp(manifest, backend, runner, tools);
  return passed;
}

/** A batch is preprocessed on the CPU: the GPU's shader places all pictures of a run in the same way. */
function processingOf({ manifest, processing }: SessionRequest): "auto" | "cpu" {
  return pictureBatch(manifest) > 1 ? "cpu" : processing;
}

/**
 * Returns the outputs that stay on the GPU: those that are decoded there, and float32 states and outputs for
 * later stages. Outputs of other types, such as counters, are computed on the CPU.
 */
function gpuOutputs(request: SessionRequest): string[] {
  const { manifest, joined } = request;
  const processing = processingOf(request);
  const states = stateInputs(manifest.inputs).flatMap(({ dtype, output }) =>
    dtype === "float32" ? [output] : [],
  );
  const taken = manifest.outputs.filter(({ name, dtype }) => dtype === "float32" && joined.includes(name));
  return [
    ...new Set([...sessionGpuOutputs(manifest, processing), ...states, ...taken.map(({ name }) => name)]),
  ];
}

/**
 * Returns a function that creates the session of the fallback graph. It fetches the weights again, from
 * storage or the HTTP cache: keeping them for a rare event would double the memory. It is not inside
 * openSession(): the predictor keeps the closure as long as the model exists, and a closure keeps all
 * variables of its scope, including the weights.
 */
function fallbackFactory(
  engine: OrtWeb,
  manifest: Manifest,
  downloads: Downloads,
): (target: Backend) => Promise<Session> {
  return async (target) => {
    const graph = findGraph(manifest, target);
    return createOrRefetch(await fetchGraph(graph, downloads), refetchGraph(graph, downloads), (bytes) =>
      Session.create(engine, graph, bytes, false),
    );
  };
}

/** Returns a function that fetches the graph, with weights that can be read more than once. */
function refetchGraph(graph: Graph, downloads: Downloads): () => Promise<GraphBytes> {
  return () => fetchGraph(graph, downloads, undefined, true);
}
