// The progress of stages that are loaded side by side, as that of one model.

import type { LoadOptions, Progress } from "../api/types.js";

export class StageProgress {
  readonly #report: ((progress: Progress) => void) | undefined;
  readonly #last: (Progress | null)[];

  constructor(report: LoadOptions["onProgress"], stages: number) {
    this.#report = report;
    this.#last = Array.from({ length: stages }, () => null);
  }

  /** Returns the listener of a stage: it reports that stage's step, and the bytes of all. */
  listener(stage: number): LoadOptions["onProgress"] {
    const report = this.#report;
    if (report === undefined) return undefined;
    return (progress) => {
      this.#last[stage] = progress;
      const known = this.#last.filter((each) => each !== null);
      const sum = (bytes: (each: Progress) => number): number =>
        known.reduce((total, each) => total + bytes(each), 0);
      report({
        ...progress,
        bytesDone: sum(({ bytesDone }) => bytesDone),
        bytesTotal: sum(({ bytesTotal }) => bytesTotal),
      });
    };
  }
}
