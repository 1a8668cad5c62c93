// load(): a bundle's manifest into a model that is ready to run.

import { proxy } from "comlink";
import type { Backend, LoadOptions, ModelInfo, Progress, Warning } from "./api.js";
import { Connection } from "./connection.js";
import { abortedError, type ErrorCode, WebbuildError } from "./errors.js";
import type { Manifest } from "./manifest.js";
import { Model } from "./model.js";

/** Failures of WebGPU here, not of the bundle: "auto" may go on to WASM. */
const STEP_DOWN: ReadonlySet<ErrorCode> = new Set([
  "engine-failed",
  "gpu-error",
  "no-adapter",
  "no-engine",
  "no-graph",
  "no-session",
  "run-failed",
]);

/** Loads the bundle of `manifestUrl`, a relative one against the page. Rejects with a WebbuildError. */
export async function load(manifestUrl: URL | string, options: LoadOptions = {}): Promise<Model> {
  const base = new URL(manifestUrl, document.baseURI).href;
  const manifest = await fetchManifest(base, options.signal);
  const { backend = "auto" } = options;
  if (backend !== "auto") return open(manifest, base, backend, options, `backend "${backend}" was asked for`, []);
  try {
    const reason = "this browser has a WebGPU adapter that can run the model";
    return await open(manifest, base, "webgpu", options, reason, []);
  } catch (error) {
    if (!(error instanceof WebbuildError) || !STEP_DOWN.has(error.code)) throw error;
    const reason = `WebGPU cannot run the model here: ${error.message}`;
    const warning = { code: error.code, message: `${reason}; it runs on WASM, slower`, fix: error.fix };
    return open(manifest, base, "wasm", options, reason, [warning]);
  }
}

async function open(
  manifest: Manifest,
  base: string,
  backend: Backend,
  options: LoadOptions,
  reason: string,
  warnings: Warning[],
): Promise<Model> {
  const { signal, trace = false } = options;
  const connection = new Connection();
  try {
    const tell = options.onProgress ? proxy(listener(options.onProgress)) : null;
    const request = { manifest, base, backend, trace };
    const info: ModelInfo = await connection.call((host) => host.open(request, tell), signal);
    return new Model({ manifest, backend, reason, warnings, info, connection });
  } catch (error) {
    connection.end(error instanceof WebbuildError ? error : abortedError(signal));
    throw error;
  }
}

/** A listener that throws is reported as any other, and does not stop the loading. */
function listener(onProgress: (progress: Progress) => void): (progress: Progress) => void {
  return (progress) => {
    try {
      onProgress(progress);
    } catch (error) {
      reportError(error);
    }
  };
}

async function fetchManifest(url: string, signal: AbortSignal | undefined): Promise<Manifest> {
  if (signal?.aborted) throw abortedError(signal);
  const manifest = await fetchJson(url, signal);
  if (isManifest(manifest)) return manifest;
  const fix = "pack the model again, and deploy the manifest and the runtime of one pack together";
  throw new WebbuildError("bad-manifest", `${url} is not a manifest that this runtime can read`, fix);
}

async function fetchJson(url: string, signal: AbortSignal | undefined): Promise<unknown> {
  try {
    const response = await fetch(url, signal ? { signal } : {});
    if (!response.ok) throw new Error(`the server answered ${response.status} ${response.statusText}`.trim());
    return await response.json();
  } catch (cause) {
    if (signal?.aborted) throw abortedError(signal);
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new WebbuildError("download-failed", `manifest.json: ${why}`, `check that ${url} is deployed`, { cause });
  }
}

/** The runtime is packed with its manifest; this tells a wrong file or version, not every wrong field. */
function isManifest(value: unknown): value is Manifest {
  return typeof value === "object" && value !== null && "schema" in value && value.schema === 1 && "graphs" in value;
}
