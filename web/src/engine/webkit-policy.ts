// Workarounds for WebGPU in Safari. Safari 26 has WebGPU but no JSPI, so the engine is the asyncify build.
//
// None of this was measured in Safari. The numbers come from issues of microsoft/onnxruntime:
// - #26827: after one run 400 % CPU, memory grows from 1 to 14 GB, then a crash. JavaScriptCore's optimizing compiler cannot cope
//   with the asyncify build; the WASM build is fine. So "auto" starts on WASM if that is fast enough.
// - #27584: iOS 26.3 ends the tab after some 500 runs on WebGPU. So the engine is restarted long before.
// - iOS ends a tab above some 1.5 GB (mlc-ai/web-llm#753). So an engine whose memory grows is restarted too.

import type { EngineBuild, Graph } from "../manifest/manifest.js";
import { hasJspi } from "./engine.js";
import { leastTime } from "./least-time.js";

/** Runs of an engine, of all its models together, after which it is restarted. */
export const MAX_RUNS = 300;
/** Bytes that WebAssembly's memory may grow by after the first runs. */
export const MAX_GROWTH = 256 * 2 ** 20;
/** Runs between two measurements of the memory. */
export const MEASURE_EVERY = 25;
/** "auto" starts on WASM if the lower bound of a run is at most this many milliseconds. */
const FAST_ENOUGH = 250;

/** Whether this browser is WebKit with WebGPU and without JSPI. */
export function isUntrustedWebkit(): boolean {
  return isWebkit() && "gpu" in navigator && !hasJspi();
}

/** A page may call load() in its own worker, where navigator has no vendor. */
function isWebkit(): boolean {
  const { vendor, userAgent } = navigator as Pick<Navigator, "userAgent"> & { vendor?: string };
  return (
    vendor?.startsWith("Apple") ?? (userAgent.includes("AppleWebKit/") && !userAgent.includes("Chrome/"))
  );
}

/** Returns why "auto" starts this graph on WASM although there is WebGPU; null if it starts on WebGPU. */
export function wasmFirstReason(
  wasm: Pick<Graph, "target" | "nodes" | "macs">,
  threads: number,
): string | null {
  if (!isUntrustedWebkit() || leastTime(wasm, threads, 0) > FAST_ENOUGH) return null;
  return "Safari's WebGPU needs the engine's asyncify build, which fills the memory there; WASM is fast enough for this model";
}

/** Why the backends are not compared; null where they may be. */
export function notComparedReason(): string | null {
  return isUntrustedWebkit() ? "Safari may not have the memory for two engines at once" : null;
}

/** Counts the runs of a worker's engine and the growth of its memory, to decide when it is restarted. */
export class EngineWear {
  #runs = 0;
  #firstMemory: number | null = null;
  #reason: string | null = null;

  /** Counts a run. Returns why the engine has to be restarted, null if it has not. `memory` returns bytes. */
  async ran(memory: () => Promise<number>): Promise<string | null> {
    this.#runs += 1;
    if (this.#runs >= MAX_RUNS) this.#reason ??= `the engine has run ${MAX_RUNS} times`;
    if (this.#reason === null && this.#runs % MEASURE_EVERY === 0) {
      const bytes = await memory();
      this.#firstMemory ??= bytes;
      const grown = bytes - this.#firstMemory;
      if (grown > MAX_GROWTH) this.#reason ??= `the engine's memory has grown by ${grown >> 20} MiB`;
    }
    return this.#reason;
  }
}

/** Returns the wear of a worker's engine, null where it need not be restarted. */
export function wearOf(worker: Worker, build: EngineBuild["build"]): EngineWear | null {
  if (build !== "asyncify" || !isUntrustedWebkit()) return null;
  const known = wears.get(worker) ?? new EngineWear();
  wears.set(worker, known);
  return known;
}

const wears = new WeakMap<Worker, EngineWear>();
