// onnxruntime-web: chooses one of its builds, and starts it in the worker.

import type * as Ort from "onnxruntime-web";
import { errorMessage, isOutOfMemory, outOfMemory, WebbuildError } from "../api/errors.js";
import type { Backend } from "../api/types.js";
import type { EngineBuild, Manifest } from "../manifest/manifest.js";
import type { Downloads, OnBytes } from "../storage/download.js";
import { freeBytes } from "../storage/free-bytes.js";
import { LIMITS, withLimit } from "../worker/with-limit.js";
import { placeholderBytes } from "./placeholder-bytes.js";
import { watchMemory } from "./wasm-memory.js";

export type OrtWeb = typeof Ort;

/** The builds that run a backend, best first, in browsers with JSPI and without. */
const BUILD_ORDER: Record<Backend, { withJspi: EngineBuild["build"][]; without: EngineBuild["build"][] }> = {
  webgpu: { withJspi: ["jspi", "asyncify"], without: ["asyncify"] },
  wasm: { withJspi: ["wasm", "jspi", "asyncify"], without: ["wasm", "asyncify"] },
};

/** JavaScript Promise Integration lets WebAssembly wait for the GPU without the larger, slower asyncify build. */
export function hasJspi(): boolean {
  return "Suspending" in Object(globalThis.WebAssembly);
}

/** Throws "engine-failed" in a browser without WebAssembly, and "no-engine" for a bundle without a fitting build. */
export function chooseBuild(manifest: Manifest, backend: Backend, jspi = hasJspi()): EngineBuild {
  if (!("WebAssembly" in globalThis)) {
    const fix = "allow it for this site, such as in Safari's Lockdown Mode, or use another browser";
    throw new WebbuildError("engine-failed", "this browser has no WebAssembly", fix);
  }
  const order = jspi ? BUILD_ORDER[backend].withJspi : BUILD_ORDER[backend].without;
  const found = order.map((build) => manifest.engines.find((engine) => engine.build === build));
  const engine = found.find((build) => build !== undefined);
  if (engine !== undefined) return engine;
  const what = `the bundle holds no build of ${manifest.engine.name} for ${backend} in this browser`;
  throw new WebbuildError("no-engine", what, "pack the model again with this version of webbuild");
}

/**
 * Returns half the cores, so that the page keeps some, and at most four: more threads slow small graphs down.
 * In Firefox 1: with four, 3 of about 35 loads in Firefox 153 never ended on a busy machine with two cores;
 * with one, none of 20.
 */
export function threadCount(): number {
  if (navigator.userAgent.includes("Firefox/")) return 1;
  return crossOriginIsolated ? Math.min(4, Math.ceil(navigator.hardwareConcurrency / 2)) : 1;
}

/**
 * Returns the engine's device, which exists after its first session. The engine accepts no device:
 * docs/decisions/0013.
 */
export function gpuDevice({ env }: OrtWeb): Promise<GPUDevice> {
  return Promise.resolve(env.webgpu.device as unknown as GPUDevice);
}

export function engineFiles({ entry, glue, wasm }: EngineBuild): string[] {
  return [entry, glue, wasm];
}

export interface StartedEngine {
  engine: OrtWeb;
  module: WebAssembly.Module;
  /** Whether a service worker served the code, and the browser had it compiled: see storage/served-engine.ts. */
  isServed: boolean;
}

/**
 * Imports the build. Its scripts are fetched to check their hashes, then imported from the HTTP cache.
 * `compiled` is its compiled code, if the page has kept it from an earlier worker.
 */
export async function startEngine(
  build: EngineBuild,
  compiled: WebAssembly.Module | null,
  downloads: Downloads,
  onBytes: OnBytes,
): Promise<StartedEngine> {
  if (build.build === "asyncify") watchMemory();
  const scripts = [build.entry, build.glue].map((path) => downloads.checkScript(path, onBytes));
  const importing = Promise.all(scripts).then(() => importScript(build, downloads));
  const compiling = engineCode(build, compiled, downloads, onBytes);
  const [{ module, isServed }, engine] = await Promise.all([compiling, importing]);
  engine.env.wasm.wasmBinary = placeholderBytes(module);
  engine.env.wasm.wasmPaths = { mjs: downloads.url(build.glue) };
  engine.env.wasm.numThreads = threadCount();
  engine.env.wasm.proxy = false;
  engine.env.webgpu.powerPreference = "high-performance";
  return { engine, module, isServed };
}

async function engineCode(
  { wasm }: EngineBuild,
  compiled: WebAssembly.Module | null,
  downloads: Downloads,
  onBytes: OnBytes,
): Promise<Omit<StartedEngine, "engine">> {
  if (compiled !== null) {
    onBytes(downloads.size([wasm]));
    return { module: compiled, isServed: false };
  }
  const served = await downloads.compiledEngine(wasm, onBytes);
  if (served !== null) return { module: served, isServed: true };
  const bytes = await downloads.get(wasm, onBytes);
  try {
    const module = await WebAssembly.compile(bytes);
    void downloads.owns(bytes).then((isOwned) => isOwned && freeBytes(bytes));
    return { module, isServed: false };
  } catch (cause) {
    const reason = errorMessage(cause);
    if (isOutOfMemory(reason)) throw outOfMemory(`${wasm}: ${reason}`, { cause });
    const fix = "use a recent browser, and allow script-src 'wasm-unsafe-eval'";
    throw new WebbuildError("engine-failed", `${wasm} was not compiled: ${reason}`, fix, { cause });
  }
}

/** Imports the entry script, whose hash was checked. */
async function importScript(build: EngineBuild, downloads: Downloads): Promise<OrtWeb> {
  try {
    const entry = downloads.url(build.entry);
    const script: Promise<OrtWeb> = import(
      /* @vite-ignore */ /* webpackIgnore: true */ /* turbopackIgnore: true */ entry
    );
    return await withLimit(script, LIMITS.start, "the script");
  } catch (cause) {
    const reason = errorMessage(cause);
    const fix = "serve .mjs files as text/javascript, and allow script-src 'self' 'wasm-unsafe-eval'";
    throw new WebbuildError("engine-failed", `${build.entry} did not start: ${reason}`, fix, { cause });
  }
}
