// How far WebGPU is trusted in Safari, and why. Safari 26 has WebGPU and no JSPI, so that the engine is the asyncify build.
//
// None of this was measured in Safari. The numbers come from issues of microsoft/onnxruntime:
// - #26827: after one run 400 % CPU, memory grows from 1 to 14 GB, then a crash. JavaScriptCore's optimizing compiler chews on the
//   asyncify build; the WASM build is fine. So "auto" takes WASM where that is fast enough.
// - #27584: iOS 26.3 ends the tab after some 500 runs on WebGPU. So the engine is started again long before.
// - iOS ends a tab above some 1.5 GB (mlc-ai/web-llm#753). So an engine whose memory grows is started again too.

import type { EngineBuild, Graph } from "../manifest/manifest.js";
import { leastTime } from "./least-time.js";

/** Runs of an engine, of all models in it, after which it is started again. */
export const MOST_RUNS = 300;
/** Bytes by which WebAssembly's memory may grow after the first runs. */
export const MOST_GROWTH = 256 * 2 ** 20;
/** Runs between two looks at the memory. */
export const LOOK_EVERY = 25;
/** Milliseconds that WASM needs for a run at the least, up to which "auto" takes it. */
const FAST_ENOUGH = 250;

/** Whether this browser is WebKit with WebGPU and without JSPI. */
export function isUntrustedWebkit(): boolean {
  return navigator.vendor.startsWith("Apple") && "gpu" in navigator && !("Suspending" in WebAssembly);
}

/** Returns why "auto" begins on WASM, with this graph, though there is WebGPU; null where it does not. */
export function wasmFirstReason(
  wasm: Pick<Graph, "target" | "nodes" | "macs">,
  threads: number,
): string | null {
  if (!isUntrustedWebkit() || leastTime(wasm, threads, 0) > FAST_ENOUGH) return null;
  return "Safari's WebGPU needs the engine's asyncify build, which fills the memory there; WASM is fast enough for this model";
}

/** Why the backends are not compared; null where they may be. */
export function notComparedReason(): string | null {
  return isUntrustedWebkit() ? "Safari is not asked to hold two engines at once" : null;
}

/** What the engine of a worker has done, and when that is enough. */
export class EngineWear {
  #runs = 0;
  #first: number | null = null;
  #reason: string | null = null;

  /** Counts a run. Returns why the engine is to be started again, null where it may go on. `memory` tells bytes. */
  async ran(memory: () => Promise<number>): Promise<string | null> {
    this.#runs += 1;
    if (this.#runs >= MOST_RUNS) this.#reason ??= `the engine has run ${MOST_RUNS} times`;
    if (this.#reason === null && this.#runs % LOOK_EVERY === 0) {
      const bytes = await memory();
      this.#first ??= bytes;
      const grown = bytes - this.#first;
      if (grown > MOST_GROWTH) this.#reason ??= `the engine's memory has grown by ${grown >> 20} MiB`;
    }
    return this.#reason;
  }
}

/** Returns the wear of an engine that is watched, null for one that lasts. */
export function wearOf(worker: Worker, build: EngineBuild["build"]): EngineWear | null {
  if (build !== "asyncify" || !isUntrustedWebkit()) return null;
  const known = wears.get(worker) ?? new EngineWear();
  wears.set(worker, known);
  return known;
}

const wears = new WeakMap<Worker, EngineWear>();
