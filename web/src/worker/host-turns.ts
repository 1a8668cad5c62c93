// The queue of a model's runs in the worker: one at a time on the shared engine. A run can be cancelled
// before its turn.

import { abortedError, internalError } from "../api/errors.js";
import type { SharedEngine } from "../engine/shared-engine.js";
import type { HostedModel } from "./hosted-model.js";

export class HostTurns {
  readonly engine: SharedEngine;
  readonly #closing = new AbortController();
  readonly #cancelled = new Set<number>();
  #model: HostedModel | null = null;

  constructor(engine: SharedEngine) {
    this.engine = engine;
  }

  /** Fires when the page has released the model. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  get model(): HostedModel {
    if (this.#model === null) throw internalError("a run reached the worker before a model was open");
    return this.#model;
  }

  open(model: HostedModel): void {
    this.#model = model;
  }

  /** Rejects all runs that have not started. */
  close(): void {
    this.#closing.abort();
  }

  /** Does a run of one part. */
  run<T>(id: number, work: (model: HostedModel) => Promise<T>): Promise<T> {
    return this.add(id, work).finally(() => this.end(id));
  }

  /** Does one part of a run; other runs may run between the parts. Call `end` after the last. */
  add<T>(id: number, work: (model: HostedModel) => Promise<T>): Promise<T> {
    const { queue, activity } = this.engine;
    activity.callStarted();
    return queue
      .add(async () => {
        if (this.#cancelled.delete(id) || this.#closing.signal.aborted) throw abortedError();
        return work(this.model);
      })
      .finally(() => activity.callEnded());
  }

  end(id: number): void {
    this.#cancelled.delete(id);
  }

  /** Cancels a run that has not started; for a tiled run, the tiles that have not. */
  cancel(id: number): void {
    this.#cancelled.add(id);
  }
}
