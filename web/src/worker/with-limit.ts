// Time limits for every wait on something outside the runtime: storage, network, GPU, workers.

import type { Warning } from "../api/types.js";

/** Hears what did not go as it should, and did not have to stop anything. */
export type Warn = (warning: Warning) => void;

/** Milliseconds. */
export const LIMITS = {
  /** An answer of the browser's storage. */
  storage: 10_000,
  /** The next byte of a download. */
  stall: 30_000,
  /** A worker that gives back what a model held. */
  release: 10_000,
  /** A worker, a script or a service worker that starts. */
  start: 60_000,
  /** An adapter or a device of the GPU. */
  gpu: 30_000,
  /** The glue of a bundle's author: it keeps the engine from all models of the worker. */
  glue: 60_000,
} as const;

/** Bytes per millisecond that storage manages at the least. */
const SLOWEST_STORAGE = 10_000;

/** Returns the limit for reading or writing so many bytes. */
export function storageLimit(bytes: number): number {
  return LIMITS.storage + bytes / SLOWEST_STORAGE;
}

export class TimedOut extends Error {
  override readonly name = "TimedOut";

  constructor(what: string, milliseconds: number) {
    super(`${what} did not answer within ${Math.round(milliseconds / 1000)} s`);
  }
}

/** A thread that was blocked, as by the compilation of a model, has lost one tick of its limit and not the whole. */
const TICKS = 10;

/** Waits for `work`. Rejects with `TimedOut` where that takes longer; the work itself is not stopped. */
export async function withLimit<T>(work: Promise<T>, milliseconds: number, what: string): Promise<T> {
  let timer: ReturnType<typeof setInterval> | undefined;
  let left = TICKS;
  const limit = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      left -= 1;
      if (left === 0) reject(new TimedOut(what, milliseconds));
    }, milliseconds / TICKS);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearInterval(timer);
  }
}
