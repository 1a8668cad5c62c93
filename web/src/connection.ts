// The page's end of the worker. Every call ends, also when the worker does not answer any more.

import { wrap } from "comlink";
import { abortedError, WebbuildError } from "./errors.js";
import type { Host } from "./host.js";
import { carryErrors } from "./wire.js";

/** The Host as it is called from here: every answer is a promise. (Comlink's own type takes unions apart.) */
export type RemoteHost = {
  [Name in keyof Host]: (...given: Parameters<Host[Name]>) => Promise<Awaited<ReturnType<Host[Name]>>>;
};

carryErrors();

export class Connection {
  readonly #worker: Worker;
  readonly #host: RemoteHost;
  readonly #pending = new Set<(error: WebbuildError) => void>();
  #ended: WebbuildError | null = null;

  constructor() {
    this.#worker = startWorker();
    this.#worker.addEventListener("error", (event) => this.end(workerFailed(event.message)));
    this.#host = wrap<Host>(this.#worker) as unknown as RemoteHost;
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
      };
      this.#pending.add(reject);
      signal?.addEventListener("abort", abort);
      ask(this.#host).then(resolve, reject).finally(forget);
    });
  }

  /** Stops the worker, and with it its sessions, its memory and its GPU device. Later calls reject with `error`. */
  end(error: WebbuildError): void {
    if (this.#ended !== null) return;
    this.#ended = error;
    this.#worker.terminate();
    for (const reject of this.#pending) reject(error);
    this.#pending.clear();
  }
}

/** A worker must come from the page's own origin. The address is resolved by the browser, never by a bundler. */
function startWorker(): Worker {
  try {
    return new Worker(new URL(/* @vite-ignore */ WORKER, import.meta.url), {
      type: "module",
      name: "webbuild",
    });
  } catch (cause) {
    throw workerFailed(cause instanceof Error ? cause.message : String(cause));
  }
}

const WORKER = "./worker.js";

function workerFailed(why: string | undefined): WebbuildError {
  const fix =
    "serve the bundle from the page's own origin, allow worker-src 'self', then load the model again";
  return new WebbuildError("worker-failed", `the worker stopped: ${why ?? "its script did not load"}`, fix);
}
