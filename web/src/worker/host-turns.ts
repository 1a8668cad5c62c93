// The runs of a model in the worker: each has its turn at the engine, unless it was dropped before that.

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

  /** Fires when the page has let go of the model. */
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

  /** No run begins any more. */
  close(): void {
    this.#closing.abort();
  }

  /** Does a run in its turn. */
  run<T>(id: number, work: (model: HostedModel) => Promise<T>): Promise<T> {
    return this.add(id, work).finally(() => this.end(id));
  }

  /** Does a part of a run in its turn: others may come between the parts. `end` comes after the last. */
  add<T>(id: number, work: (model: HostedModel) => Promise<T>): Promise<T> {
    const { queue, activity } = this.engine;
    activity.began();
    return queue
      .add(async () => {
        if (this.#cancelled.delete(id) || this.#closing.signal.aborted) throw abortedError();
        return work(this.model);
      })
      .finally(() => activity.ended());
  }

  end(id: number): void {
    this.#cancelled.delete(id);
  }

  /** Drops a run that has not begun, or the tiles of one that have not. */
  cancel(id: number): void {
    this.#cancelled.add(id);
  }
}
