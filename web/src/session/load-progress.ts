// The stages of loading: reported as they go, and timed.

import type { ModelInfo, Progress } from "../api/types.js";

export type ProgressCallback = (progress: Progress) => void | Promise<void>;
type Stage = Progress["stage"];

const COUNTS_BYTES: ReadonlySet<Stage> = new Set(["engine", "weights"]);

export class LoadProgress {
  readonly #onProgress: ProgressCallback | null;
  readonly #started = performance.now();
  readonly #durations: Record<Stage, number> = { engine: 0, weights: 0, session: 0, warmup: 0 };

  readonly #bytesTotal: number;
  #bytesBefore = 0;

  /** `bytesTotal` is how much is there after the stages that count bytes. */
  constructor(report: ProgressCallback | null, bytesTotal: number) {
    this.#onProgress = report;
    this.#bytesTotal = bytesTotal;
  }

  /** Does the work of a stage. Resolves when the listener has heard of its end. */
  async measure<T>(
    stage: Stage,
    total: number,
    work: (more: (count: number) => void) => Promise<T>,
  ): Promise<T> {
    const started = performance.now();
    let loaded = 0;
    const bytesOf = (count: number): number => (COUNTS_BYTES.has(stage) ? count : 0);
    const report = async (): Promise<void> => {
      const bytesDone = this.#bytesBefore + bytesOf(loaded);
      return this.#onProgress?.({ stage, loaded, total, bytesDone, bytesTotal: this.#bytesTotal });
    };
    void report();
    const result = await work((count) => {
      loaded += count;
      if (count > 0 && loaded < total) void report();
    });
    this.#durations[stage] = performance.now() - started;
    loaded = total;
    await report();
    this.#bytesBefore += bytesOf(total);
    return result;
  }

  timings(): ModelInfo["timings"] {
    return { ...this.#durations, total: performance.now() - this.#started };
  }
}
