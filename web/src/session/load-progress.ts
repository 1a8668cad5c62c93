// Times the stages of loading (engine, weights, session, warm-up), and reports them to `onProgress`.

import type { ModelInfo, Progress } from "../api/types.js";
import type { OnBytes } from "../storage/download.js";

export type ProgressCallback = (progress: Progress) => void | Promise<void>;
type Stage = Progress["stage"];
type Totals = Record<Stage, number>;

export class LoadProgress {
  readonly #onProgress: ProgressCallback | null;
  readonly #started = performance.now();
  readonly #durations: Totals = { engine: 0, weights: 0, session: 0, warmup: 0 };
  readonly #loaded: Totals = { engine: 0, weights: 0, session: 0, warmup: 0 };
  #totals: Totals | null = null;
  #stage: Stage = "engine";

  constructor(onProgress: ProgressCallback | null) {
    this.#onProgress = onProgress;
  }

  /** Sets the number of bytes to download. Nothing is reported before this call. */
  expect(engine: number, weights: number): void {
    this.#totals = { engine, weights, session: 1, warmup: 1 };
  }

  /** Returns a callback that counts the bytes of a stage, also during an earlier stage. */
  counter(stage: "engine" | "weights"): OnBytes {
    return (count) => {
      this.#loaded[stage] += count;
      const whole = stage === this.#stage && this.#loaded[stage] >= (this.#totals?.[stage] ?? 0);
      if (count > 0 && !whole) void this.#report();
    };
  }

  /** Measures the work of a stage. Resolves after `onProgress` was called for its end. */
  async measure<T>(stage: Stage, work: () => Promise<T>): Promise<T> {
    const started = performance.now();
    this.#stage = stage;
    void this.#report();
    const result = await work();
    this.#durations[stage] = performance.now() - started;
    this.#loaded[stage] = this.#totals?.[stage] ?? 0;
    await this.#report();
    return result;
  }

  timings(): ModelInfo["timings"] {
    return { ...this.#durations, total: performance.now() - this.#started };
  }

  async #report(): Promise<void> {
    if (this.#totals === null) return;
    const { engine, weights } = this.#totals;
    const { [this.#stage]: loaded } = this.#loaded;
    const total = this.#totals[this.#stage];
    const bytesDone = this.#loaded.engine + this.#loaded.weights;
    await this.#onProgress?.({ stage: this.#stage, loaded, total, bytesDone, bytesTotal: engine + weights });
  }
}
