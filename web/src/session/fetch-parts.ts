// Everything that a session is made of, fetched before the session takes its turn at the engine.

import { abortedError } from "../api/errors.js";
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
import type { Warn } from "../worker/with-limit.js";
import { fetchGraph } from "./graph-bytes.js";
import { planCapture } from "./graph-capture.js";
import { type KnownGpuWork, NOTHING_KNOWN, readGpuWork } from "./known-gpu-work.js";
import type { LoadProgress } from "./load-progress.js";
import type { SessionRequest } from "./session-setup.js";

export interface SessionParts {
  engine: OrtWeb;
  downloads: Downloads;
  /** Null on WASM. */
  adapter: Adapter | null;
  bytes: Awaited<ReturnType<typeof fetchGraph>>;
  /** What the graph is tried on, null where it is not: it was before, or nobody wants it. */
  goldenRun: Awaited<ReturnType<typeof fetchGolden>> | null;
  test: Awaited<ReturnType<typeof planSelfTest>>;
  capture: Awaited<ReturnType<typeof planCapture>>;
  /** What earlier visits needed of the GPU, and the name to keep that of this one under; null where nothing is kept. */
  gpuWork: { known: KnownGpuWork; name: string | null };
  tools: unknown;
  glue: LoadedGlue | null;
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
  const cache = request.cache
    ? await FileCache.open(request.base, manifest.files, defaultCacheOptions(warn))
    : FileCache.none();
  const downloads = new Downloads(request, manifest.files, cache, signal);
  const adapter = backend === "webgpu" ? await requireAdapter(graph.features) : null;
  const frameCheck = begun(videoFrameRefusal(request, shared));
  const first = { target: graph.target, after: frameCheck, optimized: graph.optimized };
  const starting = begun(shared.start(request, downloads, progress.counter("engine"), first, page));
  const test = adapter && request.selfTest ? await planSelfTest(request, graph, adapter.info, warn) : null;
  const capture = await planCapture({
    version: manifest.engine.version,
    build: build.build,
    graph,
    software: adapter?.software ?? false,
    stateful: stateInputs(manifest.inputs).length > 0,
    joined: request.joined.length > 0,
    test: test?.key ?? null,
    refused: request.noCapture,
    warn,
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
  const name = test !== null && request.cache ? test.key : null;
  const known = name === null ? NOTHING_KNOWN : await readGpuWork(name, warn);
  // It only saves time: where it fails, the engine asks the GPU for the same itself.
  shared.prepare(known, frameCheck).catch(() => {});

  const engine = await progress.measure("engine", () => starting);
  if (signal.aborted) throw abortedError(signal);
  const [bytes, goldenRun] = await progress.measure("weights", () => fetching);
  const tools = (await taskOf(manifest).load?.(manifest.task, downloads)) ?? null;
  const glue = await loadGlue(manifest, downloads);
  const copyFrames = await frameCheck;
  const gpuWork = { known, name };
  return { engine, downloads, adapter, bytes, goldenRun, test, capture, gpuWork, tools, glue, copyFrames };
}

/** Lets work go on that is waited for later, also where it fails before that. */
function begun<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
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
