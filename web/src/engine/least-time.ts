// A lower bound of a graph's time on a backend, computed without a run.

import type { Graph } from "../manifest/manifest.js";

/** Multiply-accumulates per millisecond and thread, more than any processor does in WebAssembly. */
const MAX_MACS = 2e7;
/** Milliseconds to call a kernel. */
const CALL_TIME = 0.0005;
/** Bytes per millisecond between GPU and memory, more than any bus carries. */
const MAX_BANDWIDTH = 3e7;

/** Returns milliseconds; 0 for WebGPU, whose speed is unknown. `bytes` are transferred between GPU and memory. */
export function leastTime(
  { target, nodes, macs = 0 }: Pick<Graph, "target" | "nodes" | "macs">,
  threads: number,
  bytes: number,
): number {
  return target === "wasm" ? macs / (MAX_MACS * threads) + nodes * CALL_TIME + bytes / MAX_BANDWIDTH : 0;
}
