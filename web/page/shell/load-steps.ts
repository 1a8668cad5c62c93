// The loading steps of a model with stages that load in parallel: the current step, and the progress of each.

import type { Progress } from "../../src/index.js";

export type Step = Progress["stage"];

const STEPS: readonly Step[] = ["engine", "weights", "session", "warmup"];

export class LoadSteps {
  /** The last report of each stage, by its name; undefined for a model of one stage. */
  readonly #last = new Map<string, Progress>();
  #current: Progress | null = null;

  /** Adds a report, and returns the one to show: the same stage's until its step is done, so that the text does not flicker. */
  update(progress: Progress): Progress {
    this.#last.set(progress.modelStage ?? "", progress);
    const open = [...this.#last.values()].filter(({ loaded, total }) => loaded < total);
    const same = open.find(({ modelStage }) => modelStage === this.#current?.modelStage);
    this.#current = same ?? open[0] ?? this.#current ?? progress;
    return this.#current;
  }

  /** Returns how much of a step is done over all stages, 0 to 1. */
  share(step: Step): number {
    const shares = [...this.#last.values()].flatMap(({ stage, loaded, total }) => {
      // A report of a step means that earlier steps are done, even if they did not report it.
      if (stage !== step) return STEPS.indexOf(stage) > STEPS.indexOf(step) ? 1 : 0;
      return total > 0 ? Math.min(1, loaded / total) : [];
    });
    return shares.length === 0 ? 0 : shares.reduce((sum, share) => sum + share, 0) / shares.length;
  }
}
