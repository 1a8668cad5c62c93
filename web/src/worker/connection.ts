// The page's end of a worker, for one model. Every call ends, also when the worker does not answer any more.

import { type Remote, releaseProxy, wrap } from "comlink";
import { unlessDropped } from "../api/close-results.js";
import { abortedError, type ErrorCode, guarded, WebbuildError } from "../api/errors.js";
import { type EngineWear, wearOf } from "../engine/webkit-policy.js";
import type { EngineBuild } from "../manifest/manifest.js";
import { runtimeFile } from "../storage/runtime-file.js";
import { createWorker } from "./create-worker.js";
import { lockName, whenReleased } from "./held-lock.js";
import { registerErrorTransfer } from "./transfer.js";
import { LIMITS, TimedOut, withLimit } from "./with-limit.js";
import type { WorkerHost } from "./worker-host.js";
import { WorkerLease } from "./worker-pool.js";

/** The Host as it is called from here: every answer is a promise. (Comlink's own type takes unions apart.) */
export type RemoteHost = RemoteMethods<WorkerHost> & { readonly scenes: RemoteMethods<WorkerHost["scenes"]> };

type RemoteMethods<T> = {
  [Name in Extract<keyof T, string> as T[Name] extends (...given: never) => unknown
    ? Name
    : never]: T[Name] extends (...given: infer Given) => infer Answer
    ? (...given: Given) => Promise<Awaited<Answer>>
    : never;
};

registerErrorTransfer();

/** Failures after which an engine may be broken: no further model joins it. */
const ENGINE_BREAKING: ReadonlySet<ErrorCode> = new Set([
  "capture-failed",
  "device-lost",
  "engine-failed",
  "gpu-error",
  "no-session",
  "out-of-memory",
  "run-failed",
]);

export class Connection {
  readonly #lease: WorkerLease;
  readonly #remote: Remote<WorkerHost>;
  readonly #host: RemoteHost;
  readonly #pending = new Set<(error: WebbuildError) => void>();
  readonly #watching = new AbortController();
  #ended: WebbuildError | null = null;
  #ending: WebbuildError | null = null;
  #released: Promise<void> = Promise.resolve();

  /** Joins the worker of `key`, see `workerKey`; with null in one of its own. `start` is how a new one is started. */
  constructor(key: string | null, start: (() => Worker) | null) {
    const { port1, port2 } = new MessageChannel();
    this.#lease = WorkerLease.acquire(key, () => startWorker(start));
    this.#lease.worker.addEventListener("error", this.#fail);
    this.#lease.worker.postMessage(port2, [port2]);
    this.#remote = wrap<WorkerHost>(port1);
    this.#host = this.#remote as unknown as RemoteHost;
  }

  /** Whether it has ended, or is about to. */
  get ended(): boolean {
    return this.#ended !== null || this.#ending !== null;
  }

  /** What it ended with, null while it goes on. */
  get failure(): WebbuildError | null {
    return this.#ended;
  }

  /** Whether the failure may be that of others in the worker: alone it may work. */
  mayBeOtherModels(error: unknown): boolean {
    return this.#lease.isShared && breaksEngine(error);
  }

  /** Whether the other's model is in the same worker, where each finds what the other keeps. */
  sharesWorker(other: Connection): boolean {
    return this.#lease.worker === other.#lease.worker;
  }

  /** Throws where a call could only reject, before work is put into it. */
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
        if (breaksEngine(error)) this.#lease.close();
        reject(error);
      };
      guarded(() => call(this.#host))
        .then((answer) => resolve(unlessDropped(answer, signal, this.#ended)), fail)
        .finally(settle);
    });
  }

  /** Resolves when the worker's script runs. Rejects where it does not come: the browser does not tell of that. */
  async started(signal?: AbortSignal): Promise<void> {
    const lock = lockName();
    const answer = this.call((host) => host.ready(lock), signal).then((isHeld) => {
      if (isHeld) this.#watch(lock);
    });
    if (this.#lease.isShared) {
      // It may be busy with others for long. What becomes of it the next call says.
      answer.catch(() => {});
      return;
    }
    await withLimit(answer, LIMITS.start, "its script").catch((error: unknown) => {
      if (!(error instanceof TimedOut)) throw error;
      this.#lease.close();
      throw workerFailed(error.message);
    });
  }

  /** Returns the wear of the worker's engine, null where it lasts. */
  wear(build: EngineBuild["build"]): EngineWear | null {
    return wearOf(this.#lease.worker, build);
  }

  /** No further model joins the worker. Those that are in it stay. */
  retire(): void {
    this.#lease.close();
  }

  #watch(lock: string): void {
    whenReleased(lock, this.#watching.signal, () => {
      this.#lease.close();
      void this.end(workerFailed("the browser ended it", "close other tabs and pages, then run it again"));
    });
  }

  /** Ends after the last call under way, none of which it disturbs. */
  closeWhenIdle(error: WebbuildError): void {
    this.#ending = error;
    if (this.#pending.size === 0) void this.end(error);
  }

  /**
   * Releases the model, and stops the worker if it was the last there. Later calls reject with `error`. Resolves when the
   * worker has given back what the model held, or does not answer.
   */
  end(error: WebbuildError): Promise<void> {
    if (this.#ended !== null) return this.#released;
    this.#ended = error;
    this.#watching.abort();
    this.#lease.worker.removeEventListener("error", this.#fail);
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
    this.#lease.close();
    void this.end(workerFailed(message));
  };
}

function breaksEngine(error: unknown): boolean {
  return error instanceof WebbuildError && ENGINE_BREAKING.has(error.code);
}

function startWorker(start: (() => Worker) | null): Worker {
  try {
    return start === null ? createWorker(runtimeFile("worker.js"), "webbuild") : start();
  } catch (cause) {
    throw workerFailed(cause instanceof Error ? cause.message : String(cause));
  }
}

const POLICY_FIX =
  "allow worker-src 'self' for a bundle of the page's own origin, worker-src blob: and CORS for one of another, and trusted-types webbuild where Trusted Types are required; then load again";

function workerFailed(reason: string | undefined, fix = POLICY_FIX): WebbuildError {
  return new WebbuildError(
    "worker-failed",
    `the worker stopped: ${reason ?? "its script did not load"}`,
    fix,
  );
}
