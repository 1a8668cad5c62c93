// A model opened in a worker, on the first candidate where it can run.

import { proxy } from "comlink";
import { abortedError, type ErrorCode, internalError, WebbuildError } from "../api/errors.js";
import type { Backend, LoadOptions, Precision, Progress, SessionInfo, Warning } from "../api/types.js";
import { chooseBuild } from "../engine/engine.js";
import type { EngineBuild, Manifest } from "../manifest/manifest.js";
import { reportingListener } from "../runs/listener.js";
import { registerEngineWorker } from "../storage/register-service-worker.js";
import { Connection } from "../worker/connection.js";
import type { Warn } from "../worker/with-limit.js";
import { workerKey } from "../worker/worker-pool.js";
import { type Candidate, type FallbackChain, fallbackChain, nextInChain } from "./candidates.js";

/** What is to be opened, wherever: the bundle, and what the caller asked for. */
export interface LoadRequest {
  manifest: Manifest;
  /** The manifest's absolute URL. */
  base: string;
  backend: "auto" | Backend;
  precision: "auto" | Precision;
  trace: boolean;
  /** Names the worker to join, which nobody joins without that name. Null for any of the same runtime, and of a trace for one alone. */
  ownWorker: string | null;
  selfTest: boolean;
  /** Whether a self-test that failed on an earlier visit is run again. */
  retest: boolean;
  cache: boolean;
  processing: "auto" | "cpu";
  /** Why VideoFrames are copied whatever the GPU can, null where that is found out. */
  copyFrames: string | null;
  /** Why graphs are not to be captured, null where they may be. */
  noCapture: string | null;
  /** The outputs that later stages take. */
  joined: readonly string[];
  /** For a later stage: the backend of the first, whose build of the engine it uses, to be in the same worker. */
  engineOf: Backend | null;
  addresses: Readonly<Record<string, string>>;
  worker: (() => Worker) | null;
  /** Hears the warnings of a worker, also those that come when the model is open. */
  warn: Warn;
}

/** A model that is open in a worker. */
interface WorkerModel {
  candidate: Candidate;
  warnings: Warning[];
  info: SessionInfo;
  /** Whether the worker wants a VideoFrame of a video, not a bitmap. */
  takesFrames: boolean;
  /** Whether pictures may move to the worker wrapped in a VideoFrame: the self-check found them exact. */
  takesWrapped: boolean;
  /** The model's number in the worker. */
  host: number;
  connection: Connection;
}

/** And the candidates under its own. */
export interface LoadedModel extends WorkerModel {
  remaining: readonly Candidate[];
}

type LoadObserver = Pick<LoadOptions, "signal" | "onProgress">;

/** Failures of a graph or of WebGPU here, not of the bundle: the candidate below may do. */
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
      // Who names the backend wants it or nothing: what failed there once may work with another driver.
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

/** Where capturing the graph fails it is done without, in a new worker. */
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

/** A device that is lost meanwhile is requested again, once. */
async function loadWithRestart(
  request: LoadRequest,
  candidate: Candidate,
  observer: LoadObserver,
): Promise<WorkerModel> {
  const { worker } = request;
  const key = keyOfWorker(request, engineBuild(request, candidate));
  const first = new Connection(key, worker);
  try {
    return await loadInWorker(first, request, candidate, observer);
  } catch (error) {
    const lost = error instanceof WebbuildError && error.code === "device-lost";
    if (!lost && !first.mayBeOtherModels(error)) throw error;
    const fallback = lost ? withoutExternalTextures(request) : request;
    return loadInWorker(new Connection(lost ? key : null, worker), fallback, candidate, observer);
  }
}

function keyOfWorker({ manifest, trace, ownWorker }: LoadRequest, build: EngineBuild): string | null {
  if (ownWorker !== null) return `${ownWorker} ${build.build}`;
  // A trace is the log of one model alone.
  return trace ? null : workerKey(manifest, build);
}

/** A GPU that was lost once is not given a VideoFrame where it lies any more: that may have been it. */
export function withoutExternalTextures(request: LoadRequest): LoadRequest {
  return { ...request, copyFrames: "the GPU was lost before" };
}

/** A build for WebGPU runs graphs on WASM too. */
function engineBuild({ manifest, engineOf }: LoadRequest, { backend }: Candidate): EngineBuild {
  return chooseBuild(manifest, backend === "webgpu" ? backend : (engineOf ?? backend));
}

async function loadInWorker(
  connection: Connection,
  request: LoadRequest,
  candidate: Candidate,
  { signal, onProgress }: LoadObserver,
): Promise<WorkerModel> {
  const { manifest, base, trace, selfTest, retest, cache, processing, copyFrames, noCapture } = request;
  const { addresses, joined, warn } = request;
  const { backend, graph, precisionReason } = candidate;
  try {
    const progress = onProgress ? proxy(progressListener(onProgress, connection)) : null;
    const build = engineBuild(request, candidate);
    const sharesEngine = request.engineOf !== null;
    const options = { trace, selfTest, retest, cache, processing, copyFrames, noCapture, joined };
    const graphs = { manifest, base, backend, graph, precisionReason, build, addresses };
    const setup = { ...graphs, ...options, sharesEngine };
    const mayRegister = cache && request.worker === null;
    const register = async (): Promise<boolean> => mayRegister && (await registerEngineWorker());
    await connection.started(signal);
    const loaded = await connection.call(
      (host) => host.open(setup, progress, proxy(warn), proxy(register)),
      signal,
    );
    return { candidate, connection, ...loaded };
  } catch (error) {
    connection.end(error instanceof WebbuildError ? error : abortedError(signal));
    throw error;
  }
}

/** A listener that throws is reported as any other, and does not stop the loading. It hears of no loading that ended. */
function progressListener(
  onProgress: (progress: Progress) => void,
  connection: Connection,
): (progress: Progress) => void {
  const report = reportingListener(onProgress);
  return (progress) => {
    if (!connection.ended) report(progress);
  };
}
