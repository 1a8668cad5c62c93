// Runs of a model on both backends, timed in turns, and the faster backend.

import type { Backend } from "../api/load-options.js";

/** Milliseconds of each run. */
export type RunTimes = Readonly<Record<Backend, readonly number[]>>;

/** What a visitor wants of a run: that it is over soon, or that it takes little from the battery. */
export type Preference = "latency" | "battery";

/** Timed runs of each backend, at most. */
export const ROUNDS = 5;
/** From here on more runs would not change what is found. */
const CLEAR = 3;
/** How much better another backend has to be: what is used is not left for less. */
const MARGIN = 0.8;

/** Runs a model once on a backend and returns the milliseconds that this took. */
export type TimedRun = () => Promise<number>;

/** Times both backends in turns, so that what slows the machine down slows both. Each has had a first run before. */
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
 * Returns the backend to use. Another than `current` only where nearly all of its runs cost clearly less than nearly all of
 * the current one's: on a machine that is busy with other things the times say little, and nothing changes.
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

/** Where one is so much faster, three runs of each do; but not where the clock stood or went back in one of them. */
function isClear({ webgpu, wasm }: RunTimes): boolean {
  if (webgpu.length < CLEAR || Math.min(...webgpu, ...wasm) <= 0) return false;
  const ratio = Math.max(...webgpu) / Math.min(...wasm);
  const inverse = Math.max(...wasm) / Math.min(...webgpu);
  return ratio < 1 / CLEAR || inverse < 1 / CLEAR;
}

/** The ends of the times without the fastest and the slowest run. NaN, which nothing is less than, of fewer than 3. */
function nearlyAll(times: readonly number[]): { least: number; most: number } {
  const sorted = times.toSorted((a, b) => a - b).slice(1, -1);
  return { least: sorted[0] ?? Number.NaN, most: sorted.at(-1) ?? Number.NaN };
}
