// Merges the progress of a model's stages, which load at the same time, into the progress of the model.

import type { LoadOptions, Progress } from "../api/types.js";

export class StageProgress {
  readonly #report: ((progress: Progress) => void) | undefined;
  readonly #names: readonly (string | undefined)[];
  readonly #last: (Progress | null)[];

  /** `names`: the names of the stages, undefined for a model of one stage. */
  constructor(report: LoadOptions["onProgress"], names: readonly (string | undefined)[]) {
    this.#report = report;
    this.#names = names;
    this.#last = names.map(() => null);
  }

  /**
   * Returns the listener of a stage. It reports the stage's progress under its name, and the bytes of all
   * stages.
   */
  listener(stage: number): LoadOptions["onProgress"] {
    const report = this.#report;
    const name = this.#names[stage];
    const named = name === undefined ? {} : { modelStage: name };
    if (report === undefined) return undefined;
    return (progress) => {
      this.#last[stage] = progress;
      const known = this.#last.filter((each) => each !== null);
      const sum = (bytes: (each: Progress) => number): number =>
        known.reduce((total, each) => total + bytes(each), 0);
      report({
        ...progress,
        ...named,
        bytesDone: sum(({ bytesDone }) => bytesDone),
        bytesTotal: sum(({ bytesTotal }) => bytesTotal),
      });
    };
  }
}
