// The progress of stages that are loaded side by side, as that of one model.

import type { LoadOptions, Progress } from "../api/types.js";

export class StageProgress {
  readonly #report: ((progress: Progress) => void) | undefined;
  readonly #names: readonly (string | undefined)[];
  readonly #last: (Progress | null)[];

  /** `names` are those of the stages; that of a model of one has none. */
  constructor(report: LoadOptions["onProgress"], names: readonly (string | undefined)[]) {
    this.#report = report;
    this.#names = names;
    this.#last = names.map(() => null);
  }

  /** Returns the listener of a stage: it reports that stage's step under its name, and the bytes of all. */
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
