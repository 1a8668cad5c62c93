// Why a backend was chosen, in one sentence.

import type { Backend } from "../api/load-options.js";
import { BACKEND_NAMES } from "../fallback/candidates.js";
import { median, otherThan, type Preference, type RunTimes } from "./timed-runs.js";

/** Reasons why the backends were not compared. */
export const ONLY_ONE = "the bundle runs on one backend here";
export const NOT_YET = "the backends are compared once the model has run and is idle";
export const TAKEN_ON_GPU = "a later stage takes its outputs on the GPU";
export const TEXT_ENCODER = "the backends of a text encoder are not compared";
export const UNKNOWN_INPUTS = "the model cannot be timed: the meaning of its inputs is unknown";

export function comparedReason(backend: Backend, times: RunTimes, prefer: Preference): string {
  const other = otherThan(backend);
  const [taken, left] = [median(times[backend]), median(times[other])];
  const what = `${BACKEND_NAMES[backend]} takes ${milliseconds(taken)} a run here, ${BACKEND_NAMES[other]} ${milliseconds(left)}`;
  if (prefer === "battery")
    return `${what}; all threads together count, and a small difference changes nothing`;
  return taken <= left ? what : `${what}: too small a difference to switch`;
}

/** `least` is a lower bound of WASM's time on any processor. */
export function leastReason(own: number, least: number): string {
  return `WebGPU takes ${milliseconds(own)} a run here, WASM would need at least ${milliseconds(least)}`;
}

export function tooSlowReason(backend: Backend, own: number, limit: number): string {
  return `${BACKEND_NAMES[backend]} takes ${milliseconds(own)} a run here, ${BACKEND_NAMES[otherThan(backend)]} more than ${milliseconds(limit)}`;
}

function milliseconds(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
}
