// Times runs of a model on both backends in turns, and returns the faster backend.

import type { Backend } from "../api/load-options.js";

/** Milliseconds of each run. */
export type RunTimes = Readonly<Record<Backend, readonly number[]>>;

/** What to minimize: the time of a run, or its use of the battery. */
export type Preference = "latency" | "battery";

/** The maximum number of timed runs of each backend. */
export const ROUNDS = 5;
/** The number of runs, and the ratio of their times, from which on the result is clear. */
const CLEAR = 3;
/** The other backend's time must be below this share of the current one's, else the stage stays. */
const MARGIN = 0.8;

/** Runs a model once on a backend and returns the milliseconds it took. */
export type TimedRun = () => Promise<number>;

/** Times both backends in turns, so that other load slows both. Both have had a first run before. */
export async function timeBackends(
  current: Backend,
  run: Readonly<Record<Backend, TimedRun>>,
): Promise<RunTimes> {
  const times: Record<Backend, number[]> = { webgpu: [], wasm: [] };
  const backends = [current, otherThan(current)] as const;
  for (let round = 0; round < ROUNDS && !isClear(times); round++)
    for (const backend of backends) times[backend].push(await run[backend]());
  return times;
}

/**
 * Returns the backend to use. It is the other one only if nearly all its runs cost clearly less than nearly
 * all of the current one's: on a busy machine the times say little, and nothing changes.
 */
export function betterBackend(
  current: Backend,
  times: RunTimes,
  prefer: Preference,
  threads: number,
): Backend {
  const other = otherThan(current);
  const cost = (backend: Backend): number[] =>
    times[backend].map((time) => time * (prefer === "battery" && backend === "wasm" ? threads : 1));
  const [here, there] = [nearlyAll(cost(current)), nearlyAll(cost(other))];
  return there.most < MARGIN * here.least ? other : current;
}

export function otherThan(backend: Backend): Backend {
  return backend === "webgpu" ? "wasm" : "webgpu";
}

export function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) / 2)] ?? Number.NaN;
}

/** Whether three runs of each are enough, as one is so much faster. Not if a time is 0 or less. */
function isClear({ webgpu, wasm }: RunTimes): boolean {
  if (webgpu.length < CLEAR || Math.min(...webgpu, ...wasm) <= 0) return false;
  const ratio = Math.max(...webgpu) / Math.min(...wasm);
  const inverse = Math.max(...wasm) / Math.min(...webgpu);
  return ratio < 1 / CLEAR || inverse < 1 / CLEAR;
}

/**
 * Returns the range of the times without the fastest and the slowest run; NaN, so that no comparison holds,
 * for fewer than 3.
 */
function nearlyAll(times: readonly number[]): { least: number; most: number } {
  const sorted = times.toSorted((a, b) => a - b).slice(1, -1);
  return { least: sorted[0] ?? Number.NaN, most: sorted.at(-1) ?? Number.NaN };
}
