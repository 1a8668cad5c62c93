// A model opened in a worker, on the first rung where it can run.

import { proxy } from "comlink";
import type { Backend, LoadOptions, ModelInfo, Precision, Progress, Warning } from "./api.js";
import { Connection } from "./connection.js";
import { chooseBuild } from "./engine.js";
import { abortedError, type ErrorCode, internalError, WebbuildError } from "./errors.js";
import type { Manifest } from "./manifest.js";
import { type Ladder, ladderOf, type Rung, under } from "./rungs.js";
import { engineKey } from "./seat.js";

/** What is to be opened, wherever: the bundle, and what the caller asked for. */
export interface Wanted {
  manifest: Manifest;
  /** The manifest's absolute URL. */
  base: string;
  backend: "auto" | Backend;
  precision: "auto" | Precision;
  trace: boolean;
  selfTest: boolean;
  cache: boolean;
  pixels: "auto" | "cpu";
  /** Why VideoFrames are copied whatever the GPU can, null where that is found out. */
  copied: string | null;
  /** Why graphs are not to be captured, null where they may be. */
  noCapture: string | null;
  addresses: Readonly<Record<string, string>>;
  worker: (() => Worker) | null;
}

/** A model that is open in a worker. */
interface Placed {
  rung: Rung;
  warnings: Warning[];
  info: ModelInfo;
  /** Whether the worker wants a VideoFrame of a video, not a bitmap. */
  takesFrames: boolean;
  connection: Connection;
}

/** And the rungs under its own. */
export interface Opened extends Placed {
  below: readonly Rung[];
}

type Watch = Pick<LoadOptions, "signal" | "onProgress">;

/** Failures of a graph or of WebGPU here, not of the bundle: the rung below may do. */
const STEP_DOWN: ReadonlySet<ErrorCode> = new Set([
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

/** Opens the model on the first rung that can run it. */
export async function openBest(wanted: Wanted, watch: Watch, ladder?: Ladder): Promise<Opened> {
  let { rungs, warnings } = ladder ?? (await ladderOf(wanted));
  for (;;) {
    const [rung, ...below] = rungs;
    if (rung === undefined) throw internalError("a ladder without rungs");
    try {
      const opened = await openOn(wanted, rung, watch);
      return { ...opened, below, warnings: [...warnings, ...opened.warnings] };
    } catch (error) {
      if (!(error instanceof WebbuildError) || !STEP_DOWN.has(error.code)) throw error;
      const next = under(rung, below, error);
      [rungs, warnings] = [next.rungs, [...warnings, ...next.warnings]];
    }
  }
}

/** Where capturing the graph fails it is done without, in a new worker. */
async function openOn(wanted: Wanted, rung: Rung, watch: Watch): Promise<Placed> {
  try {
    return await openAnew(wanted, rung, watch);
  } catch (error) {
    if (!(error instanceof WebbuildError) || error.code !== "capture-failed") throw error;
    return openAnew({ ...wanted, noCapture: error.message }, rung, watch);
  }
}

/** A device that is lost meanwhile is taken anew, once. */
async function openAnew(wanted: Wanted, rung: Rung, watch: Watch): Promise<Placed> {
  const { manifest, trace, worker } = wanted;
  // A trace is the log of one model alone.
  const key = trace ? null : engineKey(manifest, chooseBuild(manifest, rung.backend));
  const first = new Connection(key, worker);
  try {
    return await openIn(first, wanted, rung, watch);
  } catch (error) {
    const lost = error instanceof WebbuildError && error.code === "device-lost";
    if (!lost && !first.mayBlameOthers(error)) throw error;
    const careful = lost ? withoutFrames(wanted) : wanted;
    return openIn(new Connection(lost ? key : null, worker), careful, rung, watch);
  }
}

/** A GPU that was lost once is not given a VideoFrame where it lies any more: that may have been it. */
export function withoutFrames(wanted: Wanted): Wanted {
  return { ...wanted, copied: "the GPU was lost before" };
}

async function openIn(
  connection: Connection,
  { manifest, base, trace, selfTest, cache, pixels, copied, noCapture, addresses }: Wanted,
  rung: Rung,
  { signal, onProgress }: Watch,
): Promise<Placed> {
  const { backend, graph, why } = rung;
  try {
    const tell = onProgress ? proxy(listener(onProgress, connection)) : null;
    const build = chooseBuild(manifest, backend);
    const how = { trace, selfTest, cache, pixels, copied, noCapture };
    const request = { manifest, base, backend, graph, why, build, addresses, ...how };
    const opened = await connection.call((host) => host.open(request, tell), signal);
    return { rung, connection, ...opened };
  } catch (error) {
    connection.end(error instanceof WebbuildError ? error : abortedError(signal));
    throw error;
  }
}

/** A listener that throws is reported as any other, and does not stop the loading. It hears of no loading that ended. */
function listener(
  onProgress: (progress: Progress) => void,
  connection: Connection,
): (progress: Progress) => void {
  return (progress) => {
    try {
      if (!connection.ended) onProgress(progress);
    } catch (error) {
      reportError(error);
    }
  };
}
