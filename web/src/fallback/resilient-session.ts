// The page's session of one graph. It survives a lost GPU device and a crashed worker: it loads the graph
// again, as recovery.ts decides, and repeats the call that failed.

import { abortedError, WebbuildError } from "../api/errors.js";
import type { ModelListener } from "../api/model-events.js";
import type { Warning } from "../api/types.js";
import { closePictures } from "../preprocess/pixels.js";
import type { RemoteHost } from "../worker/connection.js";
import { rejectOnAbort } from "../worker/reject-on-abort.js";
import { loadFirstWorking } from "./load-first-working.js";
import type { LoadRequest } from "./load-request.js";
import type { LoadedModel } from "./loaded-model.js";
import { planRecovery } from "./recovery.js";

/** A call to the worker's side of the model. */
export type WorkerCall<T> = (host: RemoteHost) => Promise<T>;

export class ResilientSession {
  #request: LoadRequest;
  readonly #closing = new AbortController();
  readonly #warnings: Warning[];
  #loaded: LoadedModel;
  /** Loads the graph again. Not null from a failure until that is done. */
  #reload: (() => Promise<LoadedModel>) | null = null;
  /** Called before the model leaves its worker, to copy data that only this worker has. */
  readonly beforeMove = new Set<(from: LoadedModel) => Promise<void>>();
  /** The recovery under way. All callers wait for the same one. */
  #recovering: Promise<void> | null = null;
  #ended: WebbuildError | null = null;
  /** Called at the start and the end of every call, and at the end of the session. */
  activity: { callStarted(): void; callEnded(): void; end(): void } | null = null;
  /** Called for new warnings, and whenever the model was loaded again or moved. */
  listener: ModelListener | null = null;
  /** The number of calls without an answer; calls that wait for a recovery count too. */
  #activeCalls = 0;
  /** The number of calls in a worker. */
  #callsInWorker = 0;

  constructor(request: LoadRequest, loaded: LoadedModel, warnings: readonly Warning[]) {
    this.#request = request;
    this.#loaded = loaded;
    this.#warnings = [...warnings];
  }

  /** The loaded graph in use; during a recovery, the one that failed. */
  get loaded(): LoadedModel {
    return this.#loaded;
  }

  /** The warnings of loading and of all runs since, each code once. */
  get warnings(): readonly Warning[] {
    return [...this.#warnings];
  }

  warn(more: readonly Warning[]): void {
    for (const warning of more) {
      if (this.#warnings.some(({ code }) => code === warning.code)) continue;
      this.#warnings.push(warning);
      this.listener?.onWarning(warning);
    }
  }

  /** Throws if the session has ended or the signal has fired: such a call can only reject. */
  check(signal?: AbortSignal): void {
    if (this.#ended !== null) throw this.#ended;
    if (signal?.aborted) throw abortedError(signal);
  }

  /** Calls the worker. If the graph has to be loaded again, repeats the call that `retry` returns, once. */
  async call<T>(
    call: WorkerCall<T>,
    retry: (error: WebbuildError) => WorkerCall<T> | null,
    signal?: AbortSignal,
  ): Promise<T> {
    this.check(signal);
    this.#activeCalls++;
    this.activity?.callStarted();
    try {
      return await this.#callWithRetry(call, retry, signal);
    } finally {
      this.#activeCalls -= 1;
      this.activity?.callEnded();
    }
  }

  async #callWithRetry<T>(
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
      if (repeated === null || this.#ended !== null) throw withPicturesClosed(error);
      await this.ready(signal).catch((failed: unknown) => {
        withPicturesClosed(error);
        throw failed;
      });
      return await this.#callWorker(repeated, signal).catch((second: unknown) => {
        withPicturesClosed(error); // they are still here if the worker got no call
        throw second instanceof WebbuildError ? withPicturesClosed(second) : second;
      });
    }
  }

  /**
   * Replaces a loaded graph by another, such as the same graph on the other backend. Does nothing if a call,
   * a recovery or another move comes in between. Returns whether it moved.
   */
  async moveTo(from: LoadedModel, loaded: LoadedModel): Promise<boolean> {
    const isBusy = (): boolean =>
      this.#activeCalls > 0 ||
      this.#reload !== null ||
      this.#ended !== null ||
      this.#loaded !== from ||
      loaded.connection.ended;
    if (isBusy()) return false;
    await this.#runBeforeMove();
    // A run that started meanwhile has written its state into the old worker.
    if (isBusy()) return false;
    from.connection.closeWhenIdle(movedError());
    this.#loaded = loaded;
    this.listener?.onChange();
    return true;
  }

  /** Ends the session, also while it loads. Later calls reject with `error`. Resolves when its memory is released. */
  async end(error: WebbuildError): Promise<void> {
    this.#ended ??= error;
    this.#closing.abort();
    this.activity?.end();
    this.activity = null;
    await this.#loaded.connection.end(this.#ended);
  }

  async #callWorker<T>(call: WorkerCall<T>, signal: AbortSignal | undefined): Promise<T> {
    const before = this.#loaded;
    this.#callsInWorker++;
    try {
      const answer = await before.connection.call(call, signal);
      void this.#restartWornEngine(before);
      return answer;
    } catch (error) {
      if (before === this.#loaded && this.#ended === null && error instanceof WebbuildError)
        this.#reload ??= this.#recoveryFrom(error);
      throw error;
    } finally {
      this.#callsInWorker -= 1;
    }
  }

  /** Restarts the engine while no call waits, when its runs or its memory are near the browser's limit. */
  async #restartWornEngine(worn: LoadedModel): Promise<void> {
    const { connection, candidate, remaining, info, engineCode } = worn;
    const wear = candidate.backend === "webgpu" ? connection.wear(info.engine.build) : null;
    const reason = await wear?.ran(() => connection.call((host) => host.wasmBytes())).catch(() => null);
    if (typeof reason !== "string") return;
    if (worn !== this.#loaded || this.#reload !== null || this.#ended !== null) return;
    connection.retire();
    const observer = { signal: this.#closing.signal };
    const chain = { candidates: [candidate, ...remaining], warnings: [] };
    const open = (): Promise<LoadedModel> =>
      loadFirstWorking({ ...this.#request, engineCode }, observer, chain);
    // Calls from now on wait. A state is copied only after the page has the answer of the run that wrote it.
    this.#reload = open;
    this.#recovering = this.#callsSettled()
      .then(() => this.#recover(open))
      .finally(() => {
        this.#recovering = null;
      });
    await this.#recovering.catch(() => {});
  }

  /** Resolves when no call is in the worker and all callers have their answers. */
  async #callsSettled(): Promise<void> {
    do await new Promise((done) => setTimeout(done));
    while (this.#callsInWorker > 0);
  }

  /** Returns how to load the graph again after a failure, null if the failure does not need it. */
  #recoveryFrom(error: WebbuildError): (() => Promise<LoadedModel>) | null {
    const recovery = planRecovery(this.#request, this.#loaded, error);
    if (recovery === null) return null;
    const { request, engineCode, chain } = recovery;
    this.#request = request;
    return () =>
      loadFirstWorking({ ...this.#request, engineCode }, { signal: this.#closing.signal }, chain());
  }

  /** Waits for a recovery. Rejects if it fails; the next call then tries again. */
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
    await this.#runBeforeMove();
    this.#loaded.connection.closeWhenIdle(movedError());
    const loaded = await open().catch((error: unknown) => {
      throw this.#ended ?? error;
    });
    this.#loaded = loaded;
    this.#reload = null;
    this.warn(loaded.warnings);
    this.listener?.onChange();
  }

  async #runBeforeMove(): Promise<void> {
    await Promise.all([...this.beforeMove].map((copy) => copy(this.#loaded)));
  }
}

function movedError(): WebbuildError {
  return new WebbuildError("internal", "the model has moved", "this is a bug in webbuild");
}

/** Closes the pictures that came back with the error: the run is not repeated. */
function withPicturesClosed(error: WebbuildError): WebbuildError {
  closePictures(error.pictures);
  error.pictures = [];
  return error;
}
