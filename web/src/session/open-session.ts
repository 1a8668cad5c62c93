// A session on the engine, with what goes around it, proven: the last step of loading, in the model's turn at the engine.

import { abortedError } from "../api/errors.js";
import type { Backend, SelfTest } from "../api/types.js";
import type { OrtWeb } from "../engine/engine.js";
import type { SharedEngine } from "../engine/shared-engine.js";
import { notingPipelines, type PipelineSource } from "../gpu/pipeline-use.js";
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
import type { Warn } from "../worker/with-limit.js";
import type { SessionParts } from "./fetch-parts.js";
import { createFrom, fetchGraph, type GraphBytes } from "./graph-bytes.js";
import { guardCapture } from "./graph-capture.js";
import { keepGpuWork } from "./known-gpu-work.js";
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
  const { manifest, graph, build, trace, precisionReason } = request;
  const { engine, adapter, capture, tools, glue } = parts;
  const gpu = adapter === null ? null : shared.gpu;
  const onGpu = gpu === null ? [] : gpuOutputs(request);
  const captured = capture.used ? manifest.inputs : null;
  const create = (): Promise<Session> =>
    createFrom(parts.bytes, keptGraph(graph, parts.downloads), (bytes) =>
      Session.create(engine, graph, bytes, trace, onGpu, captured),
    );
  const log = trace ? shared.placementLog() : null;
  log?.reset();
  const session = await progress.measure("session", () =>
    guardCapture(capture, () => gpu?.guard(create) ?? create()),
  );
  const placement = log?.placement() ?? null;
  const fallback = fallbackSession(engine, manifest, parts.downloads);
  const predictor = new Predictor(session, manifest, gpu, fallback);
  const ready = await progress.measure("warmup", () =>
    notingPipelines((used) => prove(request, parts, predictor, shared, { used, warn })),
  );
  const { preprocessor, postprocessor, selfTest } = ready;
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

/**
 * Makes what goes around the session, and tests or warms it up. Where that fails, the session and the preprocessor are
 * released; a postprocessor has nothing to release.
 */
async function prove(
  request: SessionRequest,
  { engine, adapter, capture, goldenRun, test, gpuWork, tools, copyFrames }: SessionParts,
  predictor: Predictor,
  shared: SharedEngine,
  { used, warn }: { used: () => PipelineSource[]; warn: Warn },
): Promise<Pick<SessionSetup, "preprocessor" | "postprocessor"> & { selfTest: SelfTest | null }> {
  const { manifest, backend } = request;
  const processing = processingOf(request);
  const [gpu, gpuEngine] = adapter === null ? [null, null] : [shared.gpu, engine];
  const { inputs } = manifest;
  let preprocessor: Preprocessor | null = null;
  try {
    const made = await createPreprocessor({ inputs, engine: gpuEngine, processing, copyFrames });
    preprocessor = made;
    const postprocessor = await createPostprocessor(manifest, gpuEngine, processing);
    const runner: StatefulRunner = {
      run: (feeds) => predictor.runRaw(made.upload(feeds)),
      copy: (states) => gpu?.guard(() => copyTensors(states)) ?? copyTensors(states),
    };
    const passed = test?.passed ? { sample: test.golden.sample, fromCache: true } : null;
    const run = async (): Promise<SelfTest | null> => {
      if (test && goldenRun) return runSelfTest(test, manifest, goldenRun, runner, capture);
      // What passed here is right here, and what it needs is being compiled: the visitor's run may be the first.
      if (passed === null || gpuWork.known.pipelines.length === 0)
        await warmUp(manifest, backend, runner, tools);
      return passed;
    };
    const selfTest = await guardCapture(capture, run);
    const { name, known } = gpuWork;
    const now = { device: shared.devices.request, pipelines: used() };
    if (name !== null) void keepGpuWork(name, known, now, warn);
    return { preprocessor: made, postprocessor, selfTest };
  } catch (error) {
    preprocessor?.release();
    // Behind a trap this may trap again: the first error tells more.
    await predictor.release().catch(() => {});
    throw error;
  }
}

/** Each picture of a batch is placed by its own size, which the CPU does. */
function processingOf({ manifest, processing }: SessionRequest): "auto" | "cpu" {
  return pictureBatch(manifest) > 1 ? "cpu" : processing;
}

/**
 * Returns the outputs that stay on the GPU: those that become a result there, and of the states and of what later stages
 * take those of float32. Others are counters and the like, which the engine computes on the CPU.
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
 * Creates the session of the fallback graph. The weights come a second time, from storage or the HTTP cache: keeping them
 * for a rare event would double the memory. A function of its own, because the predictor keeps the closure as long as the
 * model lives, and a closure keeps every variable of the function that it is made in: there, the weights.
 */
function fallbackSession(
  engine: OrtWeb,
  manifest: Manifest,
  downloads: Downloads,
): (target: Backend) => Promise<Session> {
  return async (target) => {
    const graph = findGraph(manifest, target);
    return createFrom(await fetchGraph(graph, downloads), keptGraph(graph, downloads), (bytes) =>
      Session.create(engine, graph, bytes, false),
    );
  };
}

/** Fetches a graph whose weights can be taken again and again. */
function keptGraph(graph: Graph, downloads: Downloads): () => Promise<GraphBytes> {
  return () => fetchGraph(graph, downloads, undefined, true);
}
