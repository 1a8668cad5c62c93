// Time limits for every wait on something outside the runtime: storage, network, GPU, workers.

/** Time limits in milliseconds. */
export const LIMITS = {
  /** Until the browser's storage answers. */
  storage: 10_000,
  /** Until the next bytes of a download. */
  stall: 30_000,
  /** Until a worker has released a model. */
  release: 10_000,
  /** Until a worker, a script or a service worker has started. */
  start: 60_000,
  /** Until the browser returns an adapter or a device. */
  gpu: 30_000,
  /** For the glue code of a bundle, which blocks the engine for all models of the worker. */
  glue: 60_000,
} as const;

/** Bytes per millisecond of the slowest storage that is worth waiting for. */
const SLOWEST_STORAGE = 10_000;

/** Returns the limit for reading or writing this many bytes. */
export function storageLimit(bytes: number): number {
  return LIMITS.storage + bytes / SLOWEST_STORAGE;
}

export class TimedOut extends Error {
  override readonly name = "TimedOut";

  constructor(what: string, milliseconds: number) {
    super(`${what} did not answer within ${Math.round(milliseconds / 1000)} s`);
  }
}

/**
 * Limits are counted in ticks: a thread that is blocked, by compiling a model, loses one tick and not the
 * whole limit.
 */
const TICKS = 10;

/** Waits for `work`. Rejects with `TimedOut` if it takes longer; the work goes on. */
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
