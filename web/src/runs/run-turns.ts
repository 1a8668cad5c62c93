// The runs of a model, by number: each in the session of its variant and, where the model has state, in its turn.

import type { ModelState, StateTurn } from "../api/state.js";
import type { Warning } from "../api/types.js";
import type { ResilientSession } from "../fallback/resilient-session.js";
import type { VariantSessions } from "../fallback/variant-sessions.js";
import type { Manifest } from "../manifest/manifest.js";
import type { StateRequest } from "../session/stream-states.js";
import { rejectOnAbort } from "../worker/reject-on-abort.js";

/** A run by its number; `from` gives the state that it reads, null for a model without state. */
export type Work<T> = (session: ResilientSession, id: number, from: () => StateRequest | null) => Promise<T>;

/** When a run is done: in its turn, null for a model without state, unless the signal drops it. */
export interface RunOrder {
  turn: StateTurn | null;
  signal: AbortSignal | undefined;
}

export class RunTurns {
  readonly #sessions: VariantSessions;
  #runs = 0;

  constructor(sessions: VariantSessions) {
    this.#sessions = sessions;
  }

  /** How many were begun. */
  get runs(): number {
    return this.#runs;
  }

  /**
   * Does a run when its turn has come; if `signal` aborts it, the worker is told. `begins` tells from the answer whether
   * the worker started from a state of zeros.
   */
  async run<T>(
    variant: Manifest,
    { turn, signal }: RunOrder,
    work: Work<T>,
    begins: (answer: T) => boolean,
  ): Promise<{ answer: T; warnings: Warning[] }> {
    const id = this.#runs++;
    const session = await rejectOnAbort(this.#sessions.open(variant), signal);
    const run = (from: () => StateRequest | null): Promise<T> =>
      work(session, id, from).catch((error: unknown) => {
        if (signal?.aborted) cancel(session, id);
        throw error;
      });
    if (turn === null) return { answer: await run(() => null), warnings: [] };
    await rejectOnAbort(turn.begun, signal);
    return turn.state.advance(id, variant, session, run, begins);
  }
}

/** Does the work of a run. For a model with state, its place in the order of runs is taken now. */
export async function takingTurn<T>(
  state: ModelState | null,
  work: (turn: StateTurn | null) => Promise<T>,
): Promise<T> {
  const turn = state?.enter() ?? null;
  try {
    return await work(turn);
  } finally {
    turn?.leave();
  }
}

function cancel(session: ResilientSession, id: number): void {
  void session.loaded.connection.call((host) => host.cancel(id)).catch(() => {});
}
