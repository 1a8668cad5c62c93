// Fetches everything that a session needs, in parallel, before its turn in the engine's queue.

import { abortedError } from "../api/errors.js";
import type { Warn } from "../api/warn.js";
import { engineFiles, type OrtWeb } from "../engine/engine.js";
import type { EnginePage, SharedEngine } from "../engine/shared-engine.js";
import { type Adapter, requireAdapter } from "../gpu/gpu-device.js";
import { stateInputs } from "../inputs/state-inputs.js";
import { graphFiles } from "../manifest/graphs.js";
import { fetchGolden, goldenFiles } from "../self-test/golden.js";
import { planSelfTest } from "../self-test/self-test.js";
import { type LoadedGlue, loadGlue } from "../stages/glue.js";
import { Downloads } from "../storage/download.js";
import { defaultCacheOptions, FileCache } from "../storage/file-cache.js";
import { taskOf } from "../tasks/registry.js";
import { EMPTY_GPU_SETUP, type GpuSetup, readGpuSetup } from "./gpu-setup.js";
import { fetchGraph, type GraphBytes } from "./graph-bytes.js";
import { type CapturePlan, planCapture } from "./graph-capture.js";
import type { LoadProgress } from "./load-progress.js";
import type { SessionRequest } from "./session-setup.js";

export interface SessionParts {
  engine: OrtWeb;
  downloads: Downloads;
  /** Null on WASM. */
  adapter: Adapter | null;
  bytes: GraphBytes;
  /** The golden run to compare with; null if the self-test is off, or has passed before. */
  goldenRun: Awaited<ReturnType<typeof fetchGolden>> | null;
  test: Awaited<ReturnType<typeof planSelfTest>>;
  capture: CapturePlan;
  /** The GPU setup of earlier visits, and the key to store this one's under; null if it is not stored. */
  gpuSetup: { stored: GpuSetup; key: string | null };
  tools: unknown;
  glue: LoadedGlue | null;
  /** Why VideoFrames are copied; null if they may be imported as external textures. */
  copyFrames: string | null;
}

export async function fetchParts(
  request: SessionRequest,
  progress: LoadProgress,
  warn: Warn,
  shared: SharedEngine,
  signal: AbortSignal,
  page: EnginePage,
): Promise<SessionParts> {
  const { manifest, backend, graph, build, trace } = request;
  if (trace) shared.placementLog();
  const downloads = await openDownloads(request, warn, signal);
  const adapter = backend === "webgpu" ? await requireAdapter(graph.features) : null;
  const frameCheck = awaitedLater(videoFrameRefusal(request, shared));
  const first = { target: graph.target, after: frameCheck, optimized: graph.optimized };
  const starting = awaitedLater(shared.start(request, downloads, progress.counter("engine"), first, page));
  const { test, capture } = await planFirstRun(request, adapter, warn);
  const golden = test === null || (test.passed && !capture.unverified) ? null : test.golden;
  const onBytes = progress.counter("weights");
  const fetching = awaitedLater(
    Promise.all([
      fetchGraph(graph, downloads, onBytes),
      golden && fetchGolden(manifest, golden, downloads, onBytes),
    ]),
  );
  const files = [...graphFiles(graph), ...(golden ? goldenFiles(golden) : [])];
  progress.expect(request.sharesEngine ? 0 : downloads.size(engineFiles(build)), downloads.size(files));
  const key = test !== null && request.cache ? test.key : null;
  const gpuSetup = { stored: key === null ? EMPTY_GPU_SETUP : await readGpuSetup(key, warn), key };
  // This only saves time. If it fails, the engine requests its own device and pipelines.
  shared.prepare(gpuSetup.stored, frameCheck).catch(() => {});

  const engine = await progress.measure("engine", () => starting);
  if (signal.aborted) throw abortedError(signal);
  const [bytes, goldenRun] = await progress.measure("weights", () => fetching);
  const tools = (await taskOf(manifest).load?.(manifest.task, downloads)) ?? null;
  const glue = await loadGlue(manifest, downloads);
  const copyFrames = await frameCheck;
  return { engine, downloads, adapter, bytes, goldenRun, test, capture, gpuSetup, tools, glue, copyFrames };
}

/** Decides on the self-test and on graph capture. */
async function planFirstRun(
  request: SessionRequest,
  adapter: Adapter | null,
  warn: Warn,
): Promise<Pick<SessionParts, "test" | "capture">> {
  const { manifest, graph, build, joined, noCapture } = request;
  const test = adapter && request.selfTest ? await planSelfTest(request, graph, adapter.info, warn) : null;
  const capture = await planCapture({
    version: manifest.engine.version,
    build: build.build,
    graph,
    software: adapter?.software ?? false,
    stateful: stateInputs(manifest.inputs).length > 0,
    hasLaterStages: joined.length > 0,
    selfTestKey: test?.key ?? null,
    noCapture,
    warn,
  });
  return { test, capture };
}

async function openDownloads(request: SessionRequest, warn: Warn, signal: AbortSignal): Promise<Downloads> {
  const { files } = request.manifest;
  const cache = request.cache
    ? await FileCache.open(request.base, files, defaultCacheOptions(warn))
    : FileCache.none();
  return new Downloads(request, files, cache, signal);
}

/** Marks a promise that is awaited later, so that an early rejection is not reported as unhandled. */
function awaitedLater<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}

/** Returns why VideoFrames are copied, null if the GPU imports them as external textures. */
async function videoFrameRefusal(
  { manifest, backend, processing, copyFrames }: SessionRequest,
  shared: SharedEngine,
): Promise<string | null> {
  const pictured = manifest.inputs.some(({ kind }) => kind === "image" || kind === "stack");
  if (backend === "wasm" || processing === "cpu" || !pictured)
    return "pictures are not preprocessed on the GPU";
  return copyFrames ?? shared.externalTextureRefusal();
}
