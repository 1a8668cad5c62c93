// onnxruntime-web: which of its builds, and bringing it up inside the worker.

import type * as Ort from "onnxruntime-web";
import { WebbuildError } from "../api/errors.js";
import type { Backend } from "../api/types.js";
import type { EngineBuild, Manifest } from "../manifest/manifest.js";
import type { Downloads, OnBytes } from "../storage/download.js";
import { LIMITS, withLimit } from "../worker/with-limit.js";
import { instantiatedInstead } from "./compiled-module.js";
import { watchMemory } from "./wasm-memory.js";

export type OrtWeb = typeof Ort;

const ORDER: Record<Backend, { withJspi: EngineBuild["build"][]; without: EngineBuild["build"][] }> = {
  webgpu: { withJspi: ["jspi", "asyncify"], without: ["asyncify"] },
  wasm: { withJspi: ["wasm", "jspi", "asyncify"], without: ["wasm", "asyncify"] },
};

/** JSPI lets WebAssembly wait for the GPU without the larger, slower asyncify build. */
function hasJspi(): boolean {
  return "Suspending" in WebAssembly;
}

export function chooseBuild(manifest: Manifest, backend: Backend, jspi = hasJspi()): EngineBuild {
  const order = jspi ? ORDER[backend].withJspi : ORDER[backend].without;
  const found = order.map((build) => manifest.engines.find((engine) => engine.build === build));
  const engine = found.find((build) => build !== undefined);
  if (engine !== undefined) return engine;
  const what = `the bundle holds no build of ${manifest.engine.name} for ${backend} in this browser`;
  throw new WebbuildError("no-engine", what, "pack the model again with this version of webbuild");
}

/**
 * More than four threads slow small graphs down; half the cores leaves the page its own. One in Firefox: with four,
 * 3 of about 35 loads in Firefox 153 never ended on a busy machine of two cores; with one, none of 20.
 */
export function threadCount(): number {
  if (navigator.userAgent.includes("Firefox/")) return 1;
  return crossOriginIsolated ? Math.min(4, Math.ceil(navigator.hardwareConcurrency / 2)) : 1;
}

/** The engine's own device, which it shows after its first session. It can be given none: see docs/decisions/0013. */
export function gpuDevice({ env }: OrtWeb): Promise<GPUDevice> {
  return Promise.resolve(env.webgpu.device as unknown as GPUDevice);
}

export function engineFiles({ entry, glue, wasm }: EngineBuild): string[] {
  return [entry, glue, wasm];
}

/**
 * Frees the bytes of the WebAssembly file. They are compiled by the first session, and the engine's glue keeps a reference
 * to them for ever: so they are detached, not dropped.
 */
export function releaseBinary({ env }: OrtWeb): void {
  const binary = env.wasm.wasmBinary;
  if (!(binary instanceof Uint8Array) || !(binary.buffer instanceof ArrayBuffer)) return;
  delete env.wasm.wasmBinary;
  structuredClone(binary.buffer, { transfer: [binary.buffer] });
}

/** The engine, and whether it came compiled: else that is to be prepared for the next visit. */
interface StartedEngine {
  engine: OrtWeb;
  isServed: boolean;
}

/** Imports the build. Its scripts are fetched to be checked, then imported: the second time is the HTTP cache's. */
export async function startEngine(
  build: EngineBuild,
  downloads: Downloads,
  onBytes: OnBytes,
): Promise<StartedEngine> {
  if (build.build === "asyncify") watchMemory();
  const scripts = [build.entry, build.glue].map((path) => downloads.checkScript(path, onBytes));
  const importing = Promise.all(scripts).then(() => importScript(build, downloads));
  const compiling = downloads.compiledEngine(build.wasm, onBytes);
  const getting = compiling.then((module) => module ?? downloads.get(build.wasm, onBytes));
  const [wasm, engine] = await Promise.all([getting, importing]);
  const isServed = wasm instanceof WebAssembly.Module;
  engine.env.wasm.wasmBinary = isServed ? instantiatedInstead(wasm) : wasm;
  engine.env.wasm.wasmPaths = { mjs: downloads.url(build.glue) };
  engine.env.wasm.numThreads = threadCount();
  engine.env.wasm.proxy = false;
  engine.env.webgpu.powerPreference = "high-performance";
  return { engine, isServed };
}

/** Imports a script that was checked. */
async function importScript(build: EngineBuild, downloads: Downloads): Promise<OrtWeb> {
  try {
    const entry = downloads.url(build.entry);
    const script: Promise<OrtWeb> = import(
      /* @vite-ignore */ /* webpackIgnore: true */ /* turbopackIgnore: true */ entry
    );
    return await withLimit(script, LIMITS.start, "the script");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const fix = "serve .mjs files as text/javascript, and allow script-src 'self' 'wasm-unsafe-eval'";
    throw new WebbuildError("engine-failed", `${build.entry} did not start: ${reason}`, fix, { cause });
  }
}
