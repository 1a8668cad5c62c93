// load(): a bundle's manifest into a model that is ready to run.

import { proxy } from "comlink";
import type { Backend, LoadOptions, ModelInfo, Progress, Warning } from "./api.js";
import { Connection } from "./connection.js";
import { chooseBuild } from "./engine.js";
import { abortedError, type ErrorCode, WebbuildError } from "./errors.js";
import type { Manifest } from "./manifest.js";
import { Model } from "./model.js";
import { engineKey } from "./seat.js";

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

/** What is asked of the worker, and what the model will say of it. */
interface Choice {
  backend: Backend;
  reason: string;
  warnings: Warning[];
}

/** Loads the bundle of `manifestUrl`, a relative one against the page. Rejects with a WebbuildError. */
export async function load(manifestUrl: URL | string, options: LoadOptions = {}): Promise<Model> {
  const base = new URL(manifestUrl, document.baseURI).href;
  const manifest = await fetchManifest(base, options.signal);
  const start = (choice: Choice): Promise<Model> => open(manifest, base, choice, options);
  const { backend = "auto" } = options;
  if (backend !== "auto")
    return start({ backend, reason: `backend "${backend}" was asked for`, warnings: [] });
  try {
    const reason = "this browser has a WebGPU adapter that can run the model";
    return await start({ backend: "webgpu", reason, warnings: [] });
  } catch (error) {
    if (!(error instanceof WebbuildError) || !STEP_DOWN.has(error.code)) throw error;
    const reason = `WebGPU cannot run the model here: ${error.message}`;
    const warning = { code: error.code, message: `${reason}; it runs on WASM, slower`, fix: error.fix };
    return start({ backend: "wasm", reason, warnings: [warning] });
  }
}

async function open(
  manifest: Manifest,
  base: string,
  choice: Choice,
  options: LoadOptions,
  alone = false,
): Promise<Model> {
  const { signal, trace = false, onProgress } = options;
  const { backend } = choice;
  const build = chooseBuild(manifest, backend);
  // A trace is the log of one model alone.
  const key = alone || trace ? null : engineKey(manifest, build);
  const connection = new Connection(key);
  try {
    const tell = onProgress ? proxy(listener(onProgress, connection)) : null;
    const request = { manifest, base, backend, build, trace };
    const info: ModelInfo = await connection.call((host) => host.open(request, tell), signal);
    const warnings = [...choice.warnings, ...unverified()];
    return Model.of({ ...choice, manifest, warnings, info, connection });
  } catch (error) {
    connection.end(error instanceof WebbuildError ? error : abortedError(signal));
    if (connection.mayBlameOthers(error)) return open(manifest, base, choice, options, true);
    throw error;
  }
}

/** Without WebCrypto a file's size is all that can be checked. */
function unverified(): Warning[] {
  if (isSecureContext) return [];
  const message =
    "this page is neither https nor localhost: the sizes of the files were checked, their hashes not";
  return [{ code: "unverified-files", message, fix: "serve the bundle over https" }];
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

async function fetchManifest(url: string, signal: AbortSignal | undefined): Promise<Manifest> {
  if (signal?.aborted) throw abortedError(signal);
  const manifest = await fetchJson(url, signal);
  if (isManifest(manifest)) return manifest;
  checkSchema(manifest, url);
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
    throw new WebbuildError("download-failed", `manifest.json: ${why}`, `check that ${url} is deployed`, {
      cause,
    });
  }
}

/** Throws for a manifest that another version of webbuild wrote. */
function checkSchema(manifest: unknown, url: string): void {
  const { schema, generator } = Object(manifest) as { schema?: unknown; generator?: { version?: unknown } };
  if (typeof schema !== "number" || schema === 1) return;
  const writer = `webbuild ${generator?.version ?? "of an unknown version"}`;
  const fix =
    schema > 1
      ? "deploy the runtime that was packed with it, or pack the model again with this version"
      : "pack the model again with this version of webbuild, and deploy the whole bundle";
  const what = `${url} is of schema ${schema}, written by ${writer}; this runtime reads schema 1`;
  throw new WebbuildError("wrong-schema", what, fix);
}

/** The runtime is packed with its manifest; this tells a wrong file or version, not every wrong field. */
function isManifest(value: unknown): value is Manifest {
  return (
    typeof value === "object" &&
    value !== null &&
    "schema" in value &&
    value.schema === 1 &&
    "graphs" in value
  );
}
