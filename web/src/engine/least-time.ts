// A lower bound of the time that a backend needs for a graph, known without a run.

import type { Graph } from "../manifest/manifest.js";

/** Multiplications and additions per millisecond of a thread, more than any processor does in WebAssembly. */
const AT_BEST = 2e7;
/** Milliseconds that a kernel takes to be called, whatever it does. */
const CALL = 0.0005;
/** Bytes per millisecond that cross between GPU and memory, more than any bus carries. */
const BUS = 3e7;

/** Returns milliseconds: 0 on a GPU, of which nothing is known. `bytes` cross between GPU and memory. */
export function leastTime(
  { target, nodes, macs = 0 }: Pick<Graph, "target" | "nodes" | "macs">,
  threads: number,
  bytes: number,
): number {
  return target === "wasm" ? macs / (AT_BEST * threads) + nodes * CALL + bytes / BUS : 0;
}
