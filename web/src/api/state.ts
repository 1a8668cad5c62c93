// The state of a recurrent model. It stays in the worker; on WebGPU in GPU buffers. It is read back only by
// snapshot(), and before the model moves to another worker.

import type { LoadedModel } from "../fallback/loaded-model.js";
import type { ResilientSession } from "../fallback/resilient-session.js";
import type { VariantSessions } from "../fallback/variant-sessions.js";
import { areStates, firstStates } from "../inputs/state-inputs.js";
import type { Manifest } from "../manifest/manifest.js";
import { type SavedState, type StateRequest, stateReset } from "../session/stream-states.js";
import { Queue } from "../worker/queue.js";
import { LIMITS, withLimit } from "../worker/with-limit.js";
import { WebbuildError, wrapErrors } from "./errors.js";
import { plainCopy } from "./plain-copy.js";
import { checkedSnapshot, type StateSnapshot } from "./state-snapshot.js";
import type { Warning } from "./types.js";

/**
 * @internal A run. `from` returns the state to read, in the worker that gets the run: a repeated run may get
 * another worker.
 */
export type StateWork<T> = (from: () => StateRequest) => Promise<T>;

/** @internal A run's turn in the sequence. It begins with the run's call, and ends with `leave()`. */
export interface StateTurn {
  readonly state: ModelState;
  readonly started: Promise<void>;
  leave(): void;
}

/**
 * The recurrent state of one sequence of frames: each run reads what the previous run wrote.
 * `model.newState()` makes one.
 */
export class ModelState {
  readonly #owner: VariantSessions;
  readonly #id: number;
  /** One run at a time: each reads the state that the previous run wrote. */
  readonly #queue = new Queue();
  #steps = 0;
  /**
   * The run that wrote the state, and the loaded graph whose worker has it; null for zeros, and for a state
   * in memory only.
   */
  #place: { session: ResilientSession; loaded: LoadedModel; run: number } | null = null;
  /** A copy of the state in memory, null if there is none. */
  #copy: SavedState | null = null;
  /** Sessions whose worker may have tensors of this state: a model has a session for each size. */
  readonly #sessions = new Set<ResilientSession>();
  #released = false;

  private constructor(owner: VariantSessions, id: number) {
    this.#owner = owner;
    this.#id = id;
  }

  /** @internal */
  static of(owner: VariantSessions, id: number): ModelState {
    return new ModelState(owner, id);
  }

  /** @internal Returns whether a value is a state of this model that is not released. */
  static isOf(value: unknown, owner: VariantSessions): value is ModelState {
    const state = Object(value) as ModelState;
    return #owner in state && state.#owner === owner && !state.#released;
  }

  /** The number of runs since the state was zeros. */
  get steps(): number {
    return this.#steps;
  }

  /** Sets the state to zeros, after the runs that were called before. */
  reset(): Promise<void> {
    return this.#queue.add(async () => this.#begin(null, 0));
  }

  /** Returns the state after the runs that were called before. On WebGPU it is read back. */
  snapshot(): Promise<StateSnapshot> {
    return wrapErrors(() =>
      this.#queue.add(async () => {
        const saved = await this.#read();
        return structuredClone({ steps: this.#steps, ...saved });
      }),
    );
  }

  /** Sets the state to a snapshot. Throws "invalid-state" for a snapshot of another model or shape. */
  restore(snapshot: StateSnapshot): Promise<void> {
    return wrapErrors(() => {
      const { steps, size, tensors } = plainCopy(checkedSnapshot(this.#owner.variants, snapshot));
      return this.#queue.add(async () => this.#begin({ size, tensors }, steps));
    });
  }

  /** Frees the memory of the state. It cannot be used afterwards. */
  release(): Promise<void> {
    this.#released = true;
    return this.#queue.add(async () => {
      this.#begin(null, 0);
      for (const { beforeMove, loaded } of this.#sessions) {
        beforeMove.delete(this.#save);
        await loaded.connection.call((host) => host.dropState(this.#id)).catch(() => {});
      }
    });
  }

  /**
   * @internal Takes the next place in the sequence, since pictures may be decoded in another order than runs
   * were called.
   */
  enter(): StateTurn {
    let leave = (): void => {};
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const started = new Promise<void>((resolve) => {
      void this.#queue.add(() => {
        resolve();
        return left;
      });
    });
    return { state: this, started, leave };
  }

  /**
   * @internal Does a run when its turn has come. If it fails or is aborted, the state stays as it was.
   * `startsFromZeros` returns from the answer whether the worker started from zeros.
   */
  async advance<T>(
    run: number,
    { inputs }: Pick<Manifest, "inputs">,
    session: ResilientSession,
    work: StateWork<T>,
    startsFromZeros: (answer: T) => boolean,
  ): Promise<{ answer: T; warnings: Warning[] }> {
    let { loaded } = session;
    let lost: string | null = null;
    const answer = await work(() => {
      loaded = session.loaded;
      this.#sessions.add(session); // its worker keeps tensors of an aborted run too
      const { why, ...from } = this.#find(session, inputs);
      lost = why;
      return { stream: this.#id, ...from };
    });
    this.#place = { session, loaded, run };
    this.#copy = null;
    this.#steps = lost !== null || startsFromZeros(answer) ? 1 : this.#steps + 1;
    session.beforeMove.add(this.#save);
    return { answer, warnings: lost === null ? [] : [stateReset(lost)] };
  }

  /** Returns the state that the next run reads. `why`: the reason it is zeros, if a state was expected. */
  #find(
    session: ResilientSession,
    inputs: Manifest["inputs"],
  ): { after: number | null; given: SavedState | null; why: string | null } {
    const [place, copy] = [this.#place, this.#copy];
    const zeros = { after: null, given: null };
    if (place === null && copy === null) return { ...zeros, why: null };
    if (place?.loaded === session.loaded) return { after: place.run, given: null, why: null };
    const movedSize = place !== null && place.session !== session;
    if (movedSize || (copy !== null && !areStates(inputs, copy.tensors)))
      return { ...zeros, why: "the picture is run at another size" };
    if (copy !== null) return { after: null, given: copy, why: null };
    return { ...zeros, why: `the state after ${this.#steps} runs was lost with the engine` };
  }

  async #read(): Promise<SavedState> {
    const place = this.#place;
    if (this.#copy !== null) return this.#copy;
    if (place !== null && place.session.loaded !== place.loaded) this.#begin(null, 0);
    if (this.#place === null)
      return { size: null, tensors: firstStates(this.#owner.variants[0]?.inputs ?? []) };
    this.#copy = await this.#place.loaded.connection.call((host) =>
      host.readState(this.#id, place?.run ?? 0),
    );
    return this.#copy;
  }

  /** Copies the state before the model leaves its worker, if it can still be read. */
  readonly #save = async (left: LoadedModel): Promise<void> => {
    const place = this.#place;
    if (place?.loaded !== left || this.#copy !== null) return;
    const read = left.connection.call((host) => host.readState(this.#id, place.run));
    const saved = await withLimit(read, LIMITS.gpu, "the state").catch(() => null);
    if (this.#place === place) this.#copy = saved;
  };

  #begin(saved: SavedState | null, steps: number): void {
    [this.#place, this.#copy, this.#steps] = [null, saved, steps];
  }
}

/** @internal */
export function isStateReset({ code }: Warning): boolean {
  return code === "state-reset";
}

/** @internal */
export function takesNoBatch(): WebbuildError {
  const what = "a model with state takes one picture at a time, got several";
  return new WebbuildError("invalid-state", what, "call run() for each picture, in their order");
}

/** @internal */
export function hasNoState(): WebbuildError {
  const fix = "leave the call out: runs of this model do not depend on each other";
  return new WebbuildError("invalid-state", "the model has no state", fix);
}
