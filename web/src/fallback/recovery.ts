// Where a model runs, and how it goes on when that place fails: the engine started again, or the next candidate.

import { abortedError, type ErrorCode, WebbuildError } from "../api/errors.js";
import type { ModelListener } from "../api/model-events.js";
import type { Warning } from "../api/types.js";
import { closePictures } from "../preprocess/pixels.js";
import { captureFailureReason } from "../session/graph-capture.js";
import type { RemoteHost } from "../worker/connection.js";
import { nextInChain } from "./candidates.js";
import {
  type LoadedModel,
  type LoadRequest,
  loadFirstWorking,
  withoutExternalTextures,
} from "./fallback-chain.js";

export type WorkerCall<T> = (host: RemoteHost) => Promise<T>;

/** Failures that leave the engine unusable, though nothing is wrong with the model: the same again in a new one. */
const RESTART_CODES: ReadonlySet<ErrorCode> = new Set([
  "device-lost",
  "engine-failed",
  "out-of-memory",
  "worker-failed",
]);
/** Failures of a graph on this GPU, which would come again. */
const FALLBACK_CODES: ReadonlySet<ErrorCode> = new Set(["gpu-error", "run-failed"]);

export class ResilientSession {
  #request: LoadRequest;
  readonly #closing = new AbortController();
  readonly #warnings: Warning[];
  #loaded: LoadedModel;
  /** Not null where the model cannot stay: how to open it again. */
  #reload: (() => Promise<LoadedModel>) | null = null;
  /** Called before the model leaves a worker, to copy what is there only. */
  readonly leaving = new Set<(left: LoadedModel) => Promise<void>>();
  /** One at a time, whoever asks. */
  #recovering: Promise<void> | null = null;
  #ended: WebbuildError | null = null;
  /** Hears of every call, of its end, and of the end of the model. */
  activity: { began(): void; ended(): void; end(): void } | null = null;
  /** Hears of new warnings, and of every place that the model goes to. */
  listener: ModelListener | null = null;
  #underWay = 0;
  #inWorker = 0;

  constructor(request: LoadRequest, loaded: LoadedModel, warnings: readonly Warning[]) {
    this.#request = request;
    this.#loaded = loaded;
    this.#warnings = [...warnings];
  }

  /** The place where the model is, or was last. */
  get loaded(): LoadedModel {
    return this.#loaded;
  }

  /** Of loading and of everything since, each code once. */
  get warnings(): readonly Warning[] {
    return [...this.#warnings];
  }

  warn(more: readonly Warning[]): void {
    for (const warning of more) {
      if (this.#warnings.some(({ code }) => code === warning.code)) continue;
      this.#warnings.push(warning);
      this.listener?.warned(warning);
    }
  }

  /** Throws where a call could only reject, before work is put into it. */
  check(signal?: AbortSignal): void {
    if (this.#ended !== null) throw this.#ended;
    if (signal?.aborted) throw abortedError(signal);
  }

  /** Asks the model. Where its place fails, it moves, and `again` says what to ask there: once, then the error stands. */
  async call<T>(
    call: WorkerCall<T>,
    retry: (error: WebbuildError) => WorkerCall<T> | null,
    signal?: AbortSignal,
  ): Promise<T> {
    this.check(signal);
    this.#underWay++;
    this.activity?.began();
    try {
      return await this.#callTwice(call, retry, signal);
    } finally {
      this.#underWay -= 1;
      this.activity?.ended();
    }
  }

  async #callTwice<T>(
    call: WorkerCall<T>,
    retry: (error: WebbuildError) => WorkerCall<T> | null,
    signal?: AbortSignal,
  ): Promise<T> {
    await this.ready(signal);
    const before = this.#loaded;
    try {
      return await this.#callWorker(call, signal);
    } catch (error) {
      if (!(error instanceof WebbuildError)) throw error;
      const repeated = this.#reload !== null || before !== this.#loaded ? retry(error) : null;
      if (repeated === null || this.#ended !== null) throw closedPictures(error);
      await this.ready(signal).catch((failed: unknown) => {
        closedPictures(error);
        throw failed;
      });
      return await this.#callWorker(repeated, signal).catch((second: unknown) => {
        throw second instanceof WebbuildError ? closedPictures(second) : second;
      });
    }
  }

  /** Goes from one place to another that is open already, unless something has happened or happens meanwhile. Returns whether it went. */
  async moveTo(from: LoadedModel, loaded: LoadedModel): Promise<boolean> {
    const stays = (): boolean =>
      this.#underWay > 0 ||
      this.#reload !== null ||
      this.#ended !== null ||
      this.#loaded !== from ||
      loaded.connection.ended;
    if (stays()) return false;
    await this.#leave();
    // A run that began meanwhile has written its state where the model was.
    if (stays()) return false;
    from.connection.closeWhenIdle(moved());
    this.#loaded = loaded;
    this.listener?.changed();
    return true;
  }

  /** Ends what is open or being opened. Later calls reject with `error`. Resolves when it is released. */
  async end(error: WebbuildError): Promise<void> {
    this.#ended ??= error;
    this.#closing.abort();
    this.activity?.end();
    this.activity = null;
    await this.#loaded.connection.end(this.#ended);
  }

  async #callWorker<T>(call: WorkerCall<T>, signal: AbortSignal | undefined): Promise<T> {
    const before = this.#loaded;
    this.#inWorker++;
    try {
      const answer = await before.connection.call(call, signal);
      void this.#recycleWorn(before);
      return answer;
    } catch (error) {
      if (before === this.#loaded && this.#ended === null && error instanceof WebbuildError)
        this.#reload ??= this.#recoveryFrom(error);
      throw error;
    } finally {
      this.#inWorker -= 1;
    }
  }

  /** Starts the engine again where its runs or its memory are near what a browser bears, while nobody waits. */
  async #recycleWorn(place: LoadedModel): Promise<void> {
    const { connection, candidate, remaining, info } = place;
    const wear = candidate.backend === "webgpu" ? connection.wear(info.engine.build) : null;
    const reason = await wear?.ran(() => connection.call((host) => host.wasmBytes())).catch(() => null);
    if (typeof reason !== "string") return;
    if (place !== this.#loaded || this.#reload !== null || this.#ended !== null) return;
    connection.retire();
    const observer = { signal: this.#closing.signal };
    const again = { candidates: [candidate, ...remaining], warnings: [] };
    const open = (): Promise<LoadedModel> => loadFirstWorking(this.#request, observer, again);
    // Calls from now on wait; a state is copied once the run that wrote it has been heard of.
    this.#reload = open;
    this.#recovering = this.#answered()
      .then(() => this.#recover(open))
      .finally(() => {
        this.#recovering = null;
      });
    await this.#recovering.catch(() => {});
  }

  /** Resolves when no call is in the worker, and whoever called has the answer. */
  async #answered(): Promise<void> {
    do await new Promise((done) => setTimeout(done));
    while (this.#inWorker > 0);
  }

  /** Returns how the model goes on after a failure, null where it stays. */
  #recoveryFrom(error: WebbuildError): (() => Promise<LoadedModel>) | null {
    const observer = { signal: this.#closing.signal };
    const { candidate, remaining, info } = this.#loaded;
    const noCapture = captureFailureReason(info, error);
    if (noCapture !== null) {
      this.#request = { ...this.#request, noCapture };
      return () =>
        loadFirstWorking(this.#request, observer, { candidates: [candidate, ...remaining], warnings: [] });
    }
    if (remaining.length > 0 && FALLBACK_CODES.has(error.code))
      return () => loadFirstWorking(this.#request, observer, nextInChain(candidate, remaining, error));
    if (!RESTART_CODES.has(error.code)) return null;
    const warnings = [
      { code: error.code, message: `${error.message}; the engine was started again`, fix: error.fix },
    ];
    if (error.code === "device-lost") this.#request = withoutExternalTextures(this.#request);
    return () =>
      loadFirstWorking(this.#request, observer, { candidates: [candidate, ...remaining], warnings });
  }

  /** Resolves when the model is where it can run. Rejects if it cannot get there; the next call then tries again. */
  async ready(signal?: AbortSignal): Promise<void> {
    const { failure } = this.#loaded.connection;
    if (failure !== null && this.#ended === null) this.#reload ??= this.#recoveryFrom(failure);
    if (this.#reload === null) return;
    this.#recovering ??= this.#recover(this.#reload).finally(() => {
      this.#recovering = null;
    });
    await rejectOnAbort(this.#recovering, signal);
  }

  async #recover(open: () => Promise<LoadedModel>): Promise<void> {
    await this.#leave();
    this.#loaded.connection.closeWhenIdle(moved());
    const loaded = await open().catch((error: unknown) => {
      throw this.#ended ?? error;
    });
    this.#loaded = loaded;
    this.#reload = null;
    this.warn(loaded.warnings);
    this.listener?.changed();
  }

  /** Copies what is in the worker only. */
  async #leave(): Promise<void> {
    await Promise.all([...this.leaving].map((take) => take(this.#loaded)));
  }
}

function moved(): WebbuildError {
  return new WebbuildError("internal", "the model has moved", "this is a bug in webbuild");
}

/** Nobody repeats the run any more. */
function closedPictures(error: WebbuildError): WebbuildError {
  closePictures(error.pictures);
  error.pictures = [];
  return error;
}

export function rejectOnAbort<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(abortedError(signal));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
