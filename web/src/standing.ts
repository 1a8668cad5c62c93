// Where a model runs, and how it goes on when that place fails: the engine started anew, or one rung down.

import type { Warning } from "./api.js";
import type { RemoteHost } from "./connection.js";
import { abortedError, type ErrorCode, WebbuildError } from "./errors.js";
import { withoutCapture } from "./graph-capture.js";
import { type Opened, openBest, type Wanted, withoutFrames } from "./ladder.js";
import { closePictures } from "./pixels.js";
import { under } from "./rungs.js";

export type Ask<T> = (host: RemoteHost) => Promise<T>;

/** Failures that leave the engine unusable, though nothing is wrong with the model: the same again in a new one. */
const START_ANEW: ReadonlySet<ErrorCode> = new Set([
  "device-lost",
  "engine-failed",
  "out-of-memory",
  "worker-failed",
]);
/** Failures of a graph on this GPU, which would come again. */
const STEP_DOWN: ReadonlySet<ErrorCode> = new Set(["gpu-error", "run-failed"]);

export class Standing {
  #wanted: Wanted;
  readonly #closing = new AbortController();
  readonly #warnings: Warning[];
  #opened: Opened;
  /** Not null where the model cannot stay: how to open it again. */
  #leave: (() => Promise<Opened>) | null = null;
  /** One at a time, whoever asks. */
  #moving: Promise<void> | null = null;
  #ended: WebbuildError | null = null;

  constructor(wanted: Wanted, opened: Opened, warnings: readonly Warning[]) {
    this.#wanted = wanted;
    this.#opened = opened;
    this.#warnings = [...warnings];
  }

  /** The place where the model is, or was last. */
  get opened(): Opened {
    return this.#opened;
  }

  /** Of loading and of everything since, each code once. */
  get warnings(): readonly Warning[] {
    return [...this.#warnings];
  }

  warn(more: readonly Warning[]): void {
    for (const warning of more)
      if (!this.#warnings.some(({ code }) => code === warning.code)) this.#warnings.push(warning);
  }

  /** Throws where a call could only reject, before work is put into it. */
  check(signal?: AbortSignal): void {
    if (this.#ended !== null) throw this.#ended;
    if (signal?.aborted) throw abortedError(signal);
  }

  /** Asks the model. Where its place fails, it moves, and `again` says what to ask there: once, then the error stands. */
  async call<T>(
    ask: Ask<T>,
    again: (error: WebbuildError) => Ask<T> | null,
    signal?: AbortSignal,
  ): Promise<T> {
    this.check(signal);
    await this.#settled(signal);
    const place = this.#opened;
    try {
      return await this.#ask(ask, signal);
    } catch (error) {
      if (!(error instanceof WebbuildError)) throw error;
      const repeat = this.#leave !== null || place !== this.#opened ? again(error) : null;
      if (repeat === null || this.#ended !== null) throw withoutPictures(error);
      await this.#settled(signal).catch((failed: unknown) => {
        withoutPictures(error);
        throw failed;
      });
      return await this.#ask(repeat, signal).catch((second: unknown) => {
        throw second instanceof WebbuildError ? withoutPictures(second) : second;
      });
    }
  }

  /** Ends what is open or being opened. Later calls reject with `error`. */
  end(error: WebbuildError): void {
    this.#ended ??= error;
    this.#closing.abort();
    this.#opened.connection.end(this.#ended);
  }

  async #ask<T>(ask: Ask<T>, signal: AbortSignal | undefined): Promise<T> {
    const place = this.#opened;
    try {
      return await place.connection.call(ask, signal);
    } catch (error) {
      if (place === this.#opened && this.#ended === null && error instanceof WebbuildError)
        this.#leave ??= this.#mend(error);
      throw error;
    }
  }

  /** Returns how the model goes on behind a failure, null where it stays. */
  #mend(error: WebbuildError): (() => Promise<Opened>) | null {
    const watch = { signal: this.#closing.signal };
    const { rung, below, info } = this.#opened;
    const noCapture = withoutCapture(info, error);
    if (noCapture !== null) {
      this.#wanted = { ...this.#wanted, noCapture };
      return () => openBest(this.#wanted, watch, { rungs: [rung, ...below], warnings: [] });
    }
    if (below.length > 0 && STEP_DOWN.has(error.code))
      return () => openBest(this.#wanted, watch, under(rung, below, error));
    if (!START_ANEW.has(error.code)) return null;
    const warnings = [
      { code: error.code, message: `${error.message}; the engine was started anew`, fix: error.fix },
    ];
    if (error.code === "device-lost") this.#wanted = withoutFrames(this.#wanted);
    return () => openBest(this.#wanted, watch, { rungs: [rung, ...below], warnings });
  }

  /** Resolves when the model is where it can run. Rejects if it cannot get there; the next call then tries again. */
  async #settled(signal?: AbortSignal): Promise<void> {
    if (this.#leave === null) return;
    this.#moving ??= this.#move(this.#leave).finally(() => {
      this.#moving = null;
    });
    await unlessAborted(this.#moving, signal);
  }

  async #move(open: () => Promise<Opened>): Promise<void> {
    const left = new WebbuildError("internal", "the model has moved", "this is a bug in webbuild");
    this.#opened.connection.endWhenIdle(left);
    const opened = await open().catch((error: unknown) => {
      throw this.#ended ?? error;
    });
    this.#opened = opened;
    this.#leave = null;
    this.warn(opened.warnings);
  }
}

/** Nobody repeats the run any more. */
function withoutPictures(error: WebbuildError): WebbuildError {
  closePictures(error.pictures);
  error.pictures = [];
  return error;
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(abortedError(signal));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
