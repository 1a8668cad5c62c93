// The backends, best first: a model opened on one of them in a worker, and the step down where it cannot run there.

import { proxy } from "comlink";
import type { Backend, LoadOptions, ModelInfo, Progress, Warning } from "./api.js";
import { Connection } from "./connection.js";
import { chooseBuild } from "./engine.js";
import { abortedError, type ErrorCode, WebbuildError } from "./errors.js";
import type { Manifest } from "./manifest.js";
import { engineKey } from "./seat.js";

/** What is to be opened, wherever: the bundle, and what the caller asked for. */
export interface Wanted {
  manifest: Manifest;
  /** The manifest's absolute URL. */
  base: string;
  backend: "auto" | Backend;
  trace: boolean;
  selfTest: boolean;
  cache: boolean;
  pixels: "auto" | "cpu";
  addresses: Readonly<Record<string, string>>;
  worker: (() => Worker) | null;
}

/** A backend, and what the model will say of it. */
export interface Choice {
  backend: Backend;
  reason: string;
  warnings: Warning[];
}

/** A model that is open in a worker. */
export interface Opened extends Choice {
  info: ModelInfo;
  connection: Connection;
}

type Watch = Pick<LoadOptions, "signal" | "onProgress">;

/** Failures of WebGPU here, not of the bundle: "auto" may go on to WASM. */
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

/** Opens the model on the backend that was asked for, with "auto" on the best that can run it. */
export async function openBest(wanted: Wanted, watch: Watch): Promise<Opened> {
  const { backend } = wanted;
  if (backend !== "auto")
    return openOn(wanted, { backend, reason: `backend "${backend}" was asked for`, warnings: [] }, watch);
  try {
    const reason = "this browser has a WebGPU adapter that can run the model";
    return await openOn(wanted, { backend: "webgpu", reason, warnings: [] }, watch);
  } catch (error) {
    if (!(error instanceof WebbuildError) || !STEP_DOWN.has(error.code)) throw error;
    return openOn(wanted, steppedDown(error), watch);
  }
}

/** Returns the choice of WASM because of a failure of WebGPU. */
export function steppedDown({ code, message, fix }: WebbuildError): Choice {
  const reason = `WebGPU cannot run the model here: ${message}`;
  return {
    backend: "wasm",
    reason,
    warnings: [{ code, message: `${reason}; it runs on WASM, slower`, fix }],
  };
}

/** Opens the model on one backend. A device that is lost meanwhile is taken anew, once. */
export async function openOn(wanted: Wanted, choice: Choice, watch: Watch): Promise<Opened> {
  const { manifest, trace, worker } = wanted;
  // A trace is the log of one model alone.
  const key = trace ? null : engineKey(manifest, chooseBuild(manifest, choice.backend));
  const first = new Connection(key, worker);
  try {
    return await openIn(first, wanted, choice, watch);
  } catch (error) {
    const lost = error instanceof WebbuildError && error.code === "device-lost";
    if (!lost && !first.mayBlameOthers(error)) throw error;
    return openIn(new Connection(lost ? key : null, worker), wanted, choice, watch);
  }
}

async function openIn(
  connection: Connection,
  { manifest, base, trace, selfTest, cache, pixels, addresses }: Wanted,
  choice: Choice,
  { signal, onProgress }: Watch,
): Promise<Opened> {
  const { backend } = choice;
  try {
    const tell = onProgress ? proxy(listener(onProgress, connection)) : null;
    const build = chooseBuild(manifest, backend);
    const request = { manifest, base, backend, build, trace, selfTest, cache, pixels, addresses };
    const { info, warnings } = await connection.call((host) => host.open(request, tell), signal);
    return { ...choice, warnings: [...choice.warnings, ...warnings], info, connection };
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
