// The page's end of a worker, for one model. Every call ends, also when the worker does not answer any more.

import { type Remote, releaseProxy, wrap } from "comlink";
import { abortedError, type ErrorCode, WebbuildError } from "./errors.js";
import type { Host } from "./host.js";
import { Seat } from "./seat.js";
import { carryErrors } from "./wire.js";

/** The Host as it is called from here: every answer is a promise. (Comlink's own type takes unions apart.) */
export type RemoteHost = {
  [Name in Extract<keyof Host, string>]: (
    ...given: Parameters<Host[Name]>
  ) => Promise<Awaited<ReturnType<Host[Name]>>>;
};

carryErrors();

/** Failures behind which an engine may be broken: no further model joins it. */
const TAINTING: ReadonlySet<ErrorCode> = new Set([
  "capture-failed",
  "device-lost",
  "engine-failed",
  "gpu-error",
  "no-session",
  "out-of-memory",
  "run-failed",
]);

export class Connection {
  readonly #seat: Seat;
  readonly #remote: Remote<Host>;
  readonly #host: RemoteHost;
  readonly #pending = new Set<(error: WebbuildError) => void>();
  #ended: WebbuildError | null = null;
  #ending: WebbuildError | null = null;

  /** Joins the worker of `key`, see `engineKey`; with null in one of its own. `start` is how a new one is started. */
  constructor(key: string | null, start: (() => Worker) | null) {
    const { port1, port2 } = new MessageChannel();
    this.#seat = Seat.take(key, () => startWorker(start));
    this.#seat.worker.addEventListener("error", this.#fail);
    this.#seat.worker.postMessage(port2, [port2]);
    this.#remote = wrap<Host>(port1);
    this.#host = this.#remote as unknown as RemoteHost;
  }

  get ended(): boolean {
    return this.#ended !== null;
  }

  /** Whether the failure may be that of others in the worker: alone it may work. */
  mayBlameOthers(error: unknown): boolean {
    return this.#seat.joined && taints(error);
  }

  /** Throws where a call could only reject, before work is put into it. */
  check(signal?: AbortSignal): void {
    if (this.#ended !== null) throw this.#ended;
    if (signal?.aborted) throw abortedError(signal);
  }

  /** Calls the worker. Rejects at once when `signal` fires or the connection ends. */
  call<T>(ask: (host: RemoteHost) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      this.check(signal);
      const abort = (): void => reject(abortedError(signal));
      const forget = (): void => {
        this.#pending.delete(reject);
        signal?.removeEventListener("abort", abort);
        if (this.#ending !== null) this.endWhenIdle(this.#ending);
      };
      this.#pending.add(reject);
      signal?.addEventListener("abort", abort);
      const fail = (error: unknown): void => {
        if (taints(error)) this.#seat.retire();
        reject(error);
      };
      ask(this.#host).then(resolve, fail).finally(forget);
    });
  }

  /** Ends behind the last call under way, none of which it disturbs. */
  endWhenIdle(error: WebbuildError): void {
    this.#ending = error;
    if (this.#pending.size === 0) this.end(error);
  }

  /** Releases the model, and stops the worker if it was the last there. Later calls reject with `error`. */
  end(error: WebbuildError): void {
    if (this.#ended !== null) return;
    this.#ended = error;
    this.#seat.worker.removeEventListener("error", this.#fail);
    if (!this.#seat.leave()) this.#remote[releaseProxy]();
    for (const reject of this.#pending) reject(error);
    this.#pending.clear();
  }

  readonly #fail = ({ message }: ErrorEvent): void => {
    this.#seat.retire();
    this.end(workerFailed(message));
  };
}

function taints(error: unknown): boolean {
  return error instanceof WebbuildError && TAINTING.has(error.code);
}

/** The address is resolved by the browser, never by a bundler. */
function startWorker(start: (() => Worker) | null): Worker {
  try {
    return start === null ? ownWorker(new URL(/* @vite-ignore */ WORKER, import.meta.url)) : start();
  } catch (cause) {
    throw workerFailed(cause instanceof Error ? cause.message : String(cause));
  }
}

/** A worker must come from the page's own origin; what it imports need not. */
function ownWorker(url: URL): Worker {
  const options = { type: "module", name: "webbuild" } as const;
  if (url.origin === location.origin) return new Worker(url, options);
  const script = new Blob([`import ${JSON.stringify(url.href)};`], { type: "text/javascript" });
  const address = URL.createObjectURL(script);
  const worker = new Worker(address, options);
  URL.revokeObjectURL(address);
  return worker;
}

const WORKER = "./worker.js";

function workerFailed(why: string | undefined): WebbuildError {
  const fix =
    "allow worker-src 'self' for a bundle of the page's own origin, worker-src blob: and CORS for one of another; then load again";
  return new WebbuildError("worker-failed", `the worker stopped: ${why ?? "its script did not load"}`, fix);
}
