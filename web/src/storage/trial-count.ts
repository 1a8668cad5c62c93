// How often a trial that may end the page was begun and did not end.

import type { Warn } from "../worker/with-limit.js";
import { deleteFinding, type Fields, isRecent, readFinding, writeFinding } from "./findings.js";

/** A page that is closed in the middle leaves its trial unfinished too: once says nothing. */
const MOST = 1;
/** Milliseconds after which it is tried again: by then there may be another driver, which no browser tells of. */
const LIFE = 7 * 86_400_000;

interface Unfinished {
  count: number;
  /** When the last one began, in milliseconds since 1970. */
  at: number;
}

export class TrialCount {
  readonly #key: string;
  readonly #warn: Warn;
  #begun = false;

  /** `finding` is the key of what the trial finds out. */
  constructor(finding: string, warn: Warn) {
    this.#key = `${finding}-unfinished`;
    this.#warn = warn;
  }

  /** Returns why there is to be no other trial, null where there may be one. */
  async refusal(): Promise<string | null> {
    const count = await this.#read();
    return count > MOST ? `its trial did not end in ${count} earlier visits` : null;
  }

  /** Counts one that begins; a second call counts no second one. */
  async begin(): Promise<void> {
    if (this.#begun) return;
    this.#begun = true;
    await writeFinding(this.#key, { count: (await this.#read()) + 1, at: Date.now() }, this.#warn);
  }

  /** It ended, whatever it found out. */
  async end(): Promise<void> {
    if (this.#begun) await deleteFinding(this.#key, this.#warn);
  }

  async #read(): Promise<number> {
    const hasForm = ({ count, at }: Fields): boolean =>
      Number.isSafeInteger(count) && Number(count) > 0 && isRecent(at, LIFE);
    return (await readFinding<Unfinished>(this.#key, hasForm, this.#warn))?.count ?? 0;
  }
}
