// The page's connection to the worker of one model. Every call settles, even if the worker has died.

import { type Remote, releaseProxy, wrap } from "comlink";
import { closedIfDropped } from "../api/close-results.js";
import { abortedError, type ErrorCode, errorMessage, WebbuildError, wrapErrors } from "../api/errors.js";
import { type EngineWear, wearOf } from "../engine/webkit-policy.js";
import type { EngineBuild } from "../manifest/manifest.js";
import { classNameOf } from "../preprocess/class-name.js";
import { closePictures } from "../preprocess/pixels.js";
import { runtimeFile } from "../storage/runtime-file.js";
import { createWorker } from "./create-worker.js";
import { lockName, whenReleased } from "./held-lock.js";
import { registerErrorTransfer } from "./transfer.js";
import { LIMITS, TimedOut, withLimit } from "./with-limit.js";
import type { WorkerHost } from "./worker-host.js";
import { WorkerLease } from "./worker-pool.js";

/**
 * The page's view of WorkerHost: every method returns a promise. (Comlink's `Remote` type distributes over
 * unions.)
 */
export type RemoteHost = RemoteMethods<WorkerHost> & { readonly scenes: RemoteMethods<WorkerHost["scenes"]> };

type RemoteMethods<T> = {
  [Name in Extract<keyof T, string> as T[Name] extends (...given: never) => unknown
    ? Name
    : never]: T[Name] extends (...given: infer Given) => infer Answer
    ? (...given: Given) => Promise<Awaited<Answer>>
    : never;
};

registerErrorTransfer();

/** Errors after which the engine may be broken: no other model may join its worker. */
const ENGINE_BREAKING: ReadonlySet<ErrorCode> = new Set([
  "capture-failed",
  "device-lost",
  "engine-failed",
  "gpu-error",
  "no-session",
  "out-of-memory",
  "run-failed",
]);

/** Dispatched on a worker that the browser has ended: browsers have no event for it. */
const KILLED = "webbuild-killed";

export class Connection {
  readonly #lease: WorkerLease;
  readonly #remote: Remote<WorkerHost>;
  readonly #host: RemoteHost;
  readonly #pending = new Set<(error: WebbuildError) => void>();
  readonly #watching = new AbortController();
  #ended: WebbuildError | null = null;
  #ending: WebbuildError | null = null;
  #released: Promise<void> = Promise.resolve();

  /** Joins the worker of `key`, see `workerKey`; null starts one of its own. `start` starts a new worker. */
  constructor(key: string | null, start: (() => Worker) | null) {
    const { port1, port2 } = new MessageChannel();
    this.#lease = WorkerLease.acquire(key, () => startWorker(start));
    this.#lease.worker.addEventListener("error", this.#fail);
    this.#lease.worker.addEventListener(KILLED, this.#killed);
    this.#lease.worker.postMessage(port2, [port2]);
    this.#remote = wrap<WorkerHost>(port1);
    this.#host = this.#remote as unknown as RemoteHost;
  }

  /** Whether the connection has ended, or will end after the pending calls. */
  get ended(): boolean {
    return this.#ended !== null || this.#ending !== null;
  }

  /** The error that ended the connection, null while it is open. */
  get failure(): WebbuildError | null {
    return this.#ended;
  }

  /** Whether another model in the same worker may have caused the error: alone, the model may work. */
  mayBeCausedByOtherModels(error: unknown): boolean {
    return this.#lease.isShared && breaksEngine(error);
  }

  /** Whether both models are in the same worker, and so share scenes and the GPU device. */
  sharesWorker(other: Connection): boolean {
    return this.#lease.worker === other.#lease.worker;
  }

  /** Throws if the connection has ended or the signal has fired. */
  check(signal?: AbortSignal): void {
    if (this.#ended !== null) throw this.#ended;
    if (signal?.aborted) throw abortedError(signal);
  }

  /** Calls the worker. Rejects at once when `signal` fires or the connection ends. */
  call<T>(call: (host: RemoteHost) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      this.check(signal);
      const abort = (): void => reject(abortedError(signal));
      const settle = (): void => {
        this.#pending.delete(reject);
        signal?.removeEventListener("abort", abort);
        if (this.#ending !== null) this.closeWhenIdle(this.#ending);
      };
      this.#pending.add(reject);
      signal?.addEventListener("abort", abort);
      const fail = (error: unknown): void => {
        if (breaksEngine(error)) this.#lease.retire();
        const isDropped = signal?.aborted || this.#ended !== null;
        if (isDropped && error instanceof WebbuildError) closePictures(error.pictures);
        reject(error);
      };
      wrapErrors(() => call(this.#host))
        .then((answer) => resolve(closedIfDropped(answer, signal, this.#ended)), fail)
        .finally(settle);
    });
  }

  /**
   * Resolves when the worker's script runs. Rejects after a time limit: browsers report no error for a
   * blocked script.
   */
  async started(signal?: AbortSignal): Promise<void> {
    const lock = lockName();
    const answer = this.call((host) => host.ready(lock), signal).then((isHeld) => {
      if (isHeld) this.#watch(lock);
    });
    if (this.#lease.isShared) {
      // A shared worker may be busy with another model for a long time: the next call reports a failure.
      answer.catch(() => {});
      return;
    }
    await withLimit(answer, LIMITS.start, "its script").catch((error: unknown) => {
      if (!(error instanceof TimedOut)) throw error;
      this.#lease.retire();
      throw workerFailed(error.message);
    });
  }

  /** Returns the counter of runs and memory that decides when to restart the engine, null if not needed. */
  wear(build: EngineBuild["build"]): EngineWear | null {
    return wearOf(this.#lease.worker, build);
  }

  /** Lets no other model join the worker. Models in it stay. */
  retire(): void {
    this.#lease.retire();
  }

  /** Tells all models of the worker: one that was just joining it holds no lock yet. */
  #watch(lock: string): void {
    const { worker } = this.#lease;
    whenReleased(lock, this.#watching.signal, () => worker.dispatchEvent(new Event(KILLED)));
  }

  /** Ends the connection when the last pending call has settled. */
  closeWhenIdle(error: WebbuildError): void {
    this.#ending = error;
    if (this.#pending.size === 0) void this.end(error);
  }

  /**
   * Releases the model, and terminates the worker if no other model is in it. Pending and later calls reject
   * with `error`. Resolves when the worker has freed the model's memory, or after a time limit.
   */
  end(error: WebbuildError): Promise<void> {
    if (this.#ended !== null) return this.#released;
    this.#ended = error;
    this.#watching.abort();
    this.#lease.worker.removeEventListener("error", this.#fail);
    this.#lease.worker.removeEventListener(KILLED, this.#killed);
    if (!this.#lease.release()) this.#released = this.#release();
    for (const reject of this.#pending) reject(error);
    this.#pending.clear();
    return this.#released;
  }

  async #release(): Promise<void> {
    const released = Promise.race([this.#host.release(), this.#lease.stopped()]);
    await withLimit(released, LIMITS.release, "the worker").catch(() => {});
    this.#remote[releaseProxy]();
  }

  readonly #fail = ({ message }: ErrorEvent): void => {
    this.#lease.retire();
    void this.end(workerFailed(message));
  };

  readonly #killed = (): void => {
    this.#lease.retire();
    void this.end(workerFailed("the browser ended it", "close other tabs and pages, then run it again"));
  };
}

function breaksEngine(error: unknown): boolean {
  return error instanceof WebbuildError && ENGINE_BREAKING.has(error.code);
}

function startWorker(start: (() => Worker) | null): Worker {
  let worker: Worker;
  try {
    worker = start === null ? createWorker(runtimeFile("worker.js"), "webbuild") : start();
  } catch (cause) {
    throw workerFailed(errorMessage(cause));
  }
  if ("postMessage" in Object(worker)) return worker;
  const what = `worker: wanted a function that returns a Worker, got ${classNameOf(worker)}`;
  const fix = 'give a function such as () => new Worker("/worker.js", { type: "module" })';
  throw new WebbuildError("invalid-option", what, fix);
}

const START_FIX =
  "check that runtime/worker.js is deployed and sent as text/javascript; if a policy restricts the page, allow worker-src 'self' for a bundle of the page's own origin, worker-src blob: and CORS for one of another, and trusted-types webbuild where Trusted Types are required";

function workerFailed(reason: string | undefined, fix = START_FIX): WebbuildError {
  return new WebbuildError(
    "worker-failed",
    `the worker stopped: ${reason ?? "its script did not load"}`,
    fix,
  );
}
