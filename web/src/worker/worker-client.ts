// The page's side of a worker that answers requests, one at a time. The first request starts it.

import { runtimeFile } from "../storage/runtime-file.js";
import { askWorker } from "./ask-worker.js";
import { createWorker } from "./create-worker.js";
import { lockName, whenReleased } from "./held-lock.js";
import { Queue } from "./queue.js";
import type { LockRequest } from "./serve-requests.js";
import { LIMITS, withLimit } from "./with-limit.js";

export type Ask<Request, Answer> = (request: Request, moved?: Transferable[]) => Promise<Answer>;

export class WorkerClient<Request, Answer> {
  readonly #start: () => Worker;
  readonly #queue = new Queue();
  readonly #ended = new AbortController();
  #worker: Worker | null = null;

  /** `name` is the worker's purpose: all workers have the same script, see worker.ts. */
  constructor(name: string, start = (): Worker => createWorker(runtimeFile("worker.js"), name)) {
    this.#start = start;
  }

  /**
   * Does `work`, whose requests are not interleaved with others. Returns null if there is no worker: a
   * bundler has moved its script, a policy forbids it, it failed, or the browser or end() ended it. It is not
   * started again.
   */
  async use<T>(work: (ask: Ask<Request, Answer>) => Promise<T>): Promise<T | null> {
    try {
      return await this.#queue.add(async () => {
        const worker = await this.#open();
        return work((request, moved) => this.#ask(worker, request, moved));
      });
    } catch {
      this.end();
      return null;
    }
  }

  /** Stops the worker. */
  end(): void {
    this.#ended.abort();
    this.#worker?.terminate();
    this.#worker?.dispatchEvent(new Event("error")); // a pending request would never settle
  }

  async #open(): Promise<Worker> {
    if (this.#worker !== null) return this.#worker;
    this.#ended.signal.throwIfAborted();
    this.#worker = this.#start();
    const lock = lockName();
    const isHeld = this.#ask<boolean>(this.#worker, { lock } satisfies LockRequest);
    if (await withLimit(isHeld, LIMITS.start, "the worker"))
      whenReleased(lock, this.#ended.signal, () => this.end());
    return this.#worker;
  }

  /** Throws after end(): a terminated worker never answers. */
  #ask<T>(worker: Worker, request: unknown, moved: Transferable[] = []): Promise<T> {
    this.#ended.signal.throwIfAborted();
    return askWorker(worker, request, moved);
  }
}
