// Counts trials that began and never ended, across visits: such a trial may have crashed the page.

import type { Warn } from "../api/warn.js";
import { deleteFinding, type Fields, isRecent, readFinding, writeFinding } from "./findings.js";

/** One unfinished trial is no evidence: the visitor may have closed the page. */
const MAX_UNFINISHED = 1;
/** Milliseconds after which the count expires: browsers do not report a changed GPU driver. */
const EXPIRY = 7 * 86_400_000;

interface Unfinished {
  count: number;
  /** The time when the last trial began, in milliseconds since 1970. */
  at: number;
}

export class TrialCount {
  readonly #key: string;
  readonly #warn: Warn;
  #begun = false;

  /** `finding` is the key of the finding that the trial produces. */
  constructor(finding: string, warn: Warn) {
    this.#key = `${finding}-unfinished`;
    this.#warn = warn;
  }

  /** Returns why no further trial may run, null if one may. */
  async refusal(): Promise<string | null> {
    const count = await this.#read();
    return count > MAX_UNFINISHED ? `its trial did not end in ${count} earlier visits` : null;
  }

  /** Counts a trial that begins. Further calls do nothing. */
  async begin(): Promise<void> {
    if (this.#begun) return;
    this.#begun = true;
    await writeFinding(this.#key, { count: (await this.#read()) + 1, at: Date.now() }, this.#warn);
  }

  /** Resets the count: the trial has ended, with any result. */
  async end(): Promise<void> {
    if (this.#begun) await deleteFinding(this.#key, this.#warn);
  }

  async #read(): Promise<number> {
    const isValid = ({ count, at }: Fields): boolean =>
      Number.isSafeInteger(count) && Number(count) > 0 && isRecent(at, EXPIRY);
    return (await readFinding<Unfinished>(this.#key, isValid, this.#warn))?.count ?? 0;
  }
}
