// Bringing a model up in the worker: exactly one graph, on its backend.

import { abortedError } from "../api/errors.js";
import type { Backend, SelfTest, SessionInfo } from "../api/types.js";
import { engineFiles, type OrtWeb } from "../engine/engine.js";
import type { SharedEngine } from "../engine/shared-engine.js";
import { requireAdapter } from "../gpu/gpu-device.js";
import { stateInputs } from "../inputs/state-inputs.js";
import { findGraph, graphFiles } from "../manifest/graphs.js";
import type { EngineBuild, Graph, Manifest } from "../manifest/manifest.js";
import type { StageManifest } from "../manifest/stages.js";
import { pictureBatch } from "../manifest/variants.js";
import {
  createPostprocessor,
  type Postprocessor,
  sessionGpuOutputs,
} from "../postprocess/gpu-postprocess.js";
import { createPreprocessor } from "../preprocess/gpu/create-preprocessor.js";
import type { Preprocessor } from "../preprocess/preprocess.js";
import { fetchGolden, goldenFiles } from "../self-test/golden.js";
import type { StatefulRunner } from "../self-test/golden-sequence.js";
import { planSelfTest, runSelfTest } from "../self-test/self-test.js";
import { type LoadedGlue, loadGlue } from "../stages/glue.js";
import { Downloads } from "../storage/download.js";
import { defaultCacheOptions, FileCache } from "../storage/file-cache.js";
import { taskOf } from "../tasks/registry.js";
import { copyTensors } from "../tensors/gpu-tensor.js";
import type { Warn } from "../worker/with-limit.js";
import { guardCapture, planCapture } from "./graph-capture.js";
import { keepPipelines, readPipelines } from "./known-pipelines.js";
import { LoadProgress, type ProgressCallback } from "./load-progress.js";
import { Predictor } from "./predictor.js";
import { fetchGraph, Session } from "./session.js";
import { warmUp } from "./warm-up.js";

export interface SessionRequest {
  manifest: StageManifest;
  /** The manifest's absolute URL. */
  base: string;
  backend: Backend;
  graph: Graph;
  /** Why that graph, of those for the backend. */
  precisionReason: string;
  build: EngineBuild;
  trace: boolean;
  selfTest: boolean;
  cache: boolean;
  processing: "auto" | "cpu";
  /** Why VideoFrames are copied whatever the GPU can, null where that is found out. */
  copyFrames: string | null;
  /** Why the graph is not to be captured, null where it may be. */
  noCapture: string | null;
  /** The outputs that later stages take. */
  joined: readonly string[];
  /** Whether another stage of the same bundle reports the engine's bytes. */
  sharesEngine: boolean;
  addresses: Readonly<Record<string, string>>;
}

export interface SessionSetup {
  predictor: Predictor;
  preprocessor: Preprocessor;
  postprocessor: Postprocessor;
  /** Whether a VideoFrame is better than a bitmap of it. */
  takesFrames: boolean;
  /** What the task has loaded beside the graph. */
  tools: unknown;
  /** What makes inputs from outputs of earlier stages, null for a stage without. */
  glue: LoadedGlue | null;
  info: SessionInfo;
}

/**
 * `signal` fires when nobody wants the model any more; what it holds by then is released. `warn` hears what did not go
 * as it should, also of work that is still under way when the model is open.
 */
export async function setUpSession(
  request: SessionRequest,
  onProgress: ProgressCallback | null,
  warn: Warn,
  shared: SharedEngine,
  signal: AbortSignal,
): Promise<SessionSetup> {
  const { manifest, backend, graph, build, trace } = request;
  // Each picture of a batch is placed by its own size, which the CPU does.
  const processing = pictureBatch(manifest) > 1 ? "cpu" : request.processing;
  const log = trace ? shared.placementLog() : null;
  const cache = request.cache
    ? await FileCache.open(request.base, manifest.files, defaultCacheOptions(warn))
    : FileCache.none();
  const downloads = new Downloads(request, manifest.files, cache, signal);
  const progress = new LoadProgress(onProgress);
  const adapter = backend === "webgpu" ? await requireAdapter(graph.features) : null;
  const frameCheck = begun(videoFrameRefusal(request, shared));
  const first = { target: graph.target, after: frameCheck };
  const starting = begun(shared.start(build, downloads, progress.counter("engine"), first));
  const test = adapter && request.selfTest ? await planSelfTest(request, graph, adapter.info, warn) : null;
  const { version } = manifest.engine;
  const software = adapter?.software ?? false;
  const tested = { test: test?.key ?? null, refused: request.noCapture, warn };
  const capture = await planCapture({
    version,
    build: build.build,
    graph,
    software,
    stateful: stateInputs(manifest.inputs).length > 0,
    joined: request.joined.length > 0,
    ...tested,
  });
  const golden = test === null || (test.passed && !capture.unverified) ? null : test.golden;
  const more = progress.counter("weights");
  const fetching = begun(
    Promise.all([
      fetchGraph(graph, downloads, more),
      golden && fetchGolden(manifest, golden, downloads, more),
    ]),
  );
  const files = [...graphFiles(graph), ...(golden ? goldenFiles(golden) : [])];
  progress.expect(request.sharesEngine ? 0 : downloads.size(engineFiles(build)), downloads.size(files));
  const remembers = test !== null && request.cache ? test.key : null;
  const pipelines = remembers === null ? [] : readPipelines(remembers, warn);

  const engine = await progress.measure("engine", () => starting);
  if (signal.aborted) throw abortedError(signal);
  const [bytes, goldenRun] = await progress.measure("weights", () => fetching);
  const tools = (await taskOf(manifest).load?.(manifest.task, downloads)) ?? null;
  const glue = await loadGlue(manifest, downloads);
  const copyFrames = await frameCheck;
  const known = await pipelines;
  return shared.queue.add(async () => {
    if (signal.aborted) throw abortedError(signal);
    const gpu = backend === "webgpu" ? shared.gpu : null;
    const onGpu = gpu === null ? [] : gpuOutputs(request, processing);
    const captured = capture.used ? manifest.inputs : null;
    const create = (): Promise<Session> => Session.create(engine, graph, bytes, trace, onGpu, captured);
    log?.reset();
    shared.pipelines.prepare(known);
    const session = await progress.measure("session", () =>
      guardCapture(capture, () => gpu?.guard(create) ?? create()),
    );
    const placement = log?.placement() ?? null;
    const predictor = new Predictor(session, manifest, gpu, fallbackSession(engine, manifest, downloads));
    const passed = test?.passed ? { sample: test.golden.sample, fromCache: true } : null;
    const ready = await progress.measure("warmup", async () => {
      const gpuEngine = gpu === null ? null : engine;
      const preprocessor = await createPreprocessor({
        inputs: manifest.inputs,
        engine: gpuEngine,
        processing,
        copyFrames,
      });
      const postprocessor = await createPostprocessor(manifest, gpuEngine, processing);
      const runner: StatefulRunner = {
        run: (feeds) => predictor.runRaw(preprocessor.upload(feeds)),
        copy: (states) => gpu?.guard(() => copyTensors(states)) ?? copyTensors(states),
      };
      try {
        const prove = async (): Promise<SelfTest | null> => {
          if (test && goldenRun) return runSelfTest(test, manifest, goldenRun, runner, capture);
          // What passed here is right here, and what it needs is being compiled: the visitor's run may be the first.
          if (passed === null || known.length === 0) await warmUp(manifest, backend, runner, tools);
          return passed;
        };
        const selfTest = await guardCapture(capture, prove);
        if (remembers !== null) void keepPipelines(remembers, known, shared.pipelines.asked, warn);
        return { preprocessor, postprocessor, selfTest };
      } catch (error) {
        preprocessor.release();
        // Behind a trap this may trap again: the first error tells more.
        await predictor.release().catch(() => {});
        throw error;
      }
    });
    const { preprocessor, postprocessor, selfTest } = ready;
    const threads = engine.env.wasm.numThreads ?? 1;
    const info = {
      engine: { ...manifest.engine, build: build.build, threads },
      adapter: adapter?.info ?? null,
      precision: { used: graph.precision, reason: request.precisionReason },
      selfTest,
      timings: progress.timings(),
      preprocess: preprocessor.defaultRoute,
      postprocess: postprocessor.route,
      suppression: session.suppression,
      graphCapture: { used: capture.used, reason: capture.reason },
      placement,
    };
    const { takesFrames } = preprocessor;
    return { predictor, preprocessor, postprocessor, takesFrames, tools, glue, info };
  });
}

/** Lets work go on that is waited for later, also where it fails before that. */
function begun<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}

/**
 * Returns the outputs that stay on the GPU: those that become a result there, and of the states and of what later stages
 * take those of float32. Others are counters and the like, which the engine computes on the CPU.
 */
function gpuOutputs({ manifest, joined }: SessionRequest, processing: "auto" | "cpu"): string[] {
  const states = stateInputs(manifest.inputs).flatMap(({ dtype, output }) =>
    dtype === "float32" ? [output] : [],
  );
  const taken = manifest.outputs.filter(({ name, dtype }) => dtype === "float32" && joined.includes(name));
  return [
    ...new Set([...sessionGpuOutputs(manifest, processing), ...states, ...taken.map(({ name }) => name)]),
  ];
}

/** Whether VideoFrames are copied, and why: begun beside the downloads, over before the engine has a device. */
async function videoFrameRefusal(
  { manifest, backend, processing, copyFrames }: SessionRequest,
  shared: SharedEngine,
): Promise<string | null> {
  const pictured = manifest.inputs.some(({ kind }) => kind === "image" || kind === "stack");
  if (backend === "wasm" || processing === "cpu" || !pictured) return "no frame comes to the GPU";
  return copyFrames ?? shared.externalTextureRefusal();
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
    return Session.create(engine, graph, await fetchGraph(graph, downloads), false);
  };
}
