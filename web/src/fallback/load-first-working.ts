// Loads a graph in a worker: the first candidate of the fallback chain that can run there.

import { proxy } from "comlink";
import { abortedError, type ErrorCode, internalError, WebbuildError } from "../api/errors.js";
import type { LoadOptions, Progress } from "../api/types.js";
import { chooseBuild } from "../engine/engine.js";
import type { EnginePage } from "../engine/shared-engine.js";
import type { EngineBuild } from "../manifest/manifest.js";
import { reportingListener } from "../runs/reporting-listener.js";
import type { SessionRequest } from "../session/session-setup.js";
import { registerEngineWorker } from "../storage/register-service-worker.js";
import { Connection } from "../worker/connection.js";
import { workerKey } from "../worker/worker-pool.js";
import { type Candidate, type FallbackChain, fallbackChain, nextInChain } from "./candidates.js";
import { type EngineCode, type LoadRequest, withoutExternalTextures } from "./load-request.js";
import type { LoadedModel, WorkerModel } from "./loaded-model.js";

type LoadObserver = Pick<LoadOptions, "signal" | "onProgress">;

/** Errors of this graph or of WebGPU on this machine, not of the bundle: the next candidate may work. */
const FALLBACK_CODES: ReadonlySet<ErrorCode> = new Set([
  "device-lost",
  "engine-failed",
  "gpu-error",
  "no-adapter",
  "no-engine",
  "no-graph",
  "no-session",
  "out-of-memory",
  "run-failed",
  "self-test-failed",
]);

/** Opens the model on the first candidate that can run it. */
export async function loadFirstWorking(
  request: LoadRequest,
  observer: LoadObserver,
  chain?: FallbackChain,
): Promise<LoadedModel> {
  let { candidates, warnings } = chain ?? (await fallbackChain(request));
  for (;;) {
    const [candidate, ...remaining] = candidates;
    if (candidate === undefined) throw internalError("a fallback chain without candidates");
    try {
      // A requested backend has no fallback. A self-test that failed on an earlier visit is run again: the
      // driver may have changed.
      const retest = request.backend !== "auto" && remaining.length === 0;
      const loaded = await loadCandidate({ ...request, retest }, candidate, observer);
      return { ...loaded, remaining, warnings: [...warnings, ...loaded.warnings] };
    } catch (error) {
      if (!(error instanceof WebbuildError) || !FALLBACK_CODES.has(error.code)) throw error;
      const next = nextInChain(candidate, remaining, error);
      [candidates, warnings] = [next.candidates, [...warnings, ...next.warnings]];
    }
  }
}

/** Loads a candidate. If graph capture fails, loads it again without graph capture, in a new worker. */
async function loadCandidate(
  request: LoadRequest,
  candidate: Candidate,
  observer: LoadObserver,
): Promise<WorkerModel> {
  try {
    return await loadWithRestart(request, candidate, observer);
  } catch (error) {
    if (!(error instanceof WebbuildError) || error.code !== "capture-failed") throw error;
    return loadWithRestart({ ...request, noCapture: error.message }, candidate, observer);
  }
}

/** Loads a candidate. If the GPU device is lost meanwhile, or another model broke the shared worker, tries once more. */
async function loadWithRestart(
  request: LoadRequest,
  candidate: Candidate,
  observer: LoadObserver,
): Promise<WorkerModel> {
  const { worker } = request;
  const build = engineBuild(request, candidate);
  const key = sharedWorkerKey(request, build);
  const first = new Connection(key, worker);
  const known = request.engineCode?.wasm === build.wasm ? request.engineCode.module : null;
  const engineCode = { wasm: build.wasm, module: known };
  try {
    return await loadInWorker(first, { ...request, engineCode }, candidate, observer);
  } catch (error) {
    const lost = error instanceof WebbuildError && error.code === "device-lost";
    if (!lost && !first.mayBeCausedByOtherModels(error)) throw error;
    const fallback = lost ? withoutExternalTextures(request) : request;
    const second = new Connection(lost ? key : null, worker);
    return loadInWorker(second, { ...fallback, engineCode }, candidate, observer);
  }
}

function sharedWorkerKey({ manifest, trace, ownWorker }: LoadRequest, build: EngineBuild): string | null {
  if (ownWorker !== null) return `${ownWorker} ${build.build}`;
  // A trace is the log of a single model, so the worker is not shared.
  return trace ? null : workerKey(manifest, build);
}

/** Returns the engine build for a candidate. A build for WebGPU also runs graphs on WASM. */
function engineBuild({ manifest, firstStageBackend }: LoadRequest, { backend }: Candidate): EngineBuild {
  return chooseBuild(manifest, backend === "webgpu" ? backend : (firstStageBackend ?? backend));
}

async function loadInWorker(
  connection: Connection,
  request: LoadRequest & { engineCode: EngineCode },
  candidate: Candidate,
  { signal, onProgress }: LoadObserver,
): Promise<WorkerModel> {
  try {
    const progress = onProgress ? proxy(progressListener(onProgress, connection)) : null;
    const session = sessionRequest(request, candidate);
    const page = enginePage(request);
    await connection.started(signal);
    const loaded = await connection.call(
      (host) => host.open(session, progress, proxy(request.warn), proxy(page)),
      signal,
    );
    return { candidate, connection, engineCode: request.engineCode, ...loaded };
  } catch (error) {
    connection.end(error instanceof WebbuildError ? error : abortedError(signal));
    throw error;
  }
}

function sessionRequest(
  request: LoadRequest & { engineCode: EngineCode },
  candidate: Candidate,
): SessionRequest {
  const { manifest, base, trace, selfTest, retest, cache, processing, copyFrames, noCapture } = request;
  const { addresses, joined, engineCode, firstStageBackend } = request;
  const { backend, graph, precisionReason } = candidate;
  const build = engineBuild(request, candidate);
  const sharesEngine = firstStageBackend !== null;
  const options = { trace, selfTest, retest, cache, processing, copyFrames, noCapture, joined };
  const graphs = { manifest, base, backend, graph, precisionReason, build, addresses };
  return { ...graphs, ...options, compiled: engineCode.module, sharesEngine };
}

/** Returns the page's side of the worker's engine. */
function enginePage({ cache, worker, engineCode }: LoadRequest & { engineCode: EngineCode }): EnginePage {
  const mayRegister = cache && worker === null;
  return {
    register: async () => mayRegister && (await registerEngineWorker()),
    keep: (module) => {
      engineCode.module = module;
    },
  };
}

/** Wraps `onProgress`: an error in it does not stop loading, and it is not called after loading has ended. */
function progressListener(
  onProgress: (progress: Progress) => void,
  connection: Connection,
): (progress: Progress) => void {
  const report = reportingListener(onProgress);
  return (progress) => {
    if (!connection.ended) report(progress);
  };
}
