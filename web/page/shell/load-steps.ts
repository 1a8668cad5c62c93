// The steps of loading a model whose stages load side by side: which of them is waited for, and how much of each is done.

import type { Progress } from "../../src/index.js";

export type Step = Progress["stage"];

const STEPS: readonly Step[] = ["engine", "weights", "session", "warmup"];

export class LoadSteps {
  /** The last report of each stage, by its name; that of a model of one stage by none. */
  readonly #last = new Map<string, Progress>();
  #current: Progress | null = null;

  /** Adds a report, and returns the one to show: that of one stage until its step is done, so that the text does not alternate. */
  update(progress: Progress): Progress {
    this.#last.set(progress.modelStage ?? "", progress);
    const open = [...this.#last.values()].filter(({ loaded, total }) => loaded < total);
    const same = open.find(({ modelStage }) => modelStage === this.#current?.modelStage);
    this.#current = same ?? open[0] ?? this.#current ?? progress;
    return this.#current;
  }

  /** Returns the part of a step that is done in all stages, 0 to 1. */
  share(step: Step): number {
    const shares = [...this.#last.values()].flatMap(({ stage, loaded, total }) => {
      // A stage that reports means that those before it are over, whether they said so or not.
      if (stage !== step) return STEPS.indexOf(stage) > STEPS.indexOf(step) ? 1 : 0;
      return total > 0 ? Math.min(1, loaded / total) : [];
    });
    return shares.length === 0 ? 0 : shares.reduce((sum, share) => sum + share, 0) / shares.length;
  }
}
