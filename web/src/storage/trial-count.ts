// Counts the trials that began and never ended, over visits: such a trial may have crashed the page.

import type { Warn } from "../api/warn.js";
import { deleteFinding, type Fields, isRecent, readFinding, writeFinding } from "./findings.js";

/** One unfinished trial says nothing: the visitor may have closed the page. */
const MAX_UNFINISHED = 1;
/** Milliseconds after which the count expires: the GPU driver may be another, which no browser tells. */
const EXPIRY = 7 * 86_400_000;

interface Unfinished {
  count: number;
  /** When the last one began, in milliseconds since 1970. */
  at: number;
}

export class TrialCount {
  readonly #key: string;
  readonly #warn: Warn;
  #begun = false;

  /** `finding` is the key of the finding that the trial makes. */
  constructor(finding: string, warn: Warn) {
    this.#key = `${finding}-unfinished`;
    this.#warn = warn;
  }

  /** Returns why there must be no further trial, null where there may be one. */
  async refusal(): Promise<string | null> {
    const count = await this.#read();
    return count > MAX_UNFINISHED ? `its trial did not end in ${count} earlier visits` : null;
  }

  /** Counts a trial that begins, once for all calls. */
  async begin(): Promise<void> {
    if (this.#begun) return;
    this.#begun = true;
    await writeFinding(this.#key, { count: (await this.#read()) + 1, at: Date.now() }, this.#warn);
  }

  /** Resets the count: the trial ended, whatever its result. */
  async end(): Promise<void> {
    if (this.#begun) await deleteFinding(this.#key, this.#warn);
  }

  async #read(): Promise<number> {
    const isValid = ({ count, at }: Fields): boolean =>
      Number.isSafeInteger(count) && Number(count) > 0 && isRecent(at, EXPIRY);
    return (await readFinding<Unfinished>(this.#key, isValid, this.#warn))?.count ?? 0;
  }
}
