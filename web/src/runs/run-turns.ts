// The numbered runs of a model, each in its variant's session; with state, in the order of the calls.

import type { ModelState, StateTurn } from "../api/state.js";
import type { Warning } from "../api/types.js";
import type { ResilientSession } from "../fallback/resilient-session.js";
import type { VariantSessions } from "../fallback/variant-sessions.js";
import type { Manifest } from "../manifest/manifest.js";
import type { StateRequest } from "../session/stream-states.js";
import { rejectOnAbort } from "../worker/reject-on-abort.js";

/** Does the run with this number. `from` returns the state to read, null for a model without state. */
export type Work<T> = (session: ResilientSession, id: number, from: () => StateRequest | null) => Promise<T>;

/** The turn of a run, null for a model without state, and the signal that cancels it. */
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

  /** The number of started runs. */
  get runs(): number {
    return this.#runs;
  }

  /**
   * Does a run in its turn; if `signal` fires, it is cancelled in the worker. `startsFromZeros` returns from
   * the answer whether the state was zeros.
   */
  async run<T>(
    variant: Manifest,
    { turn, signal }: RunOrder,
    work: Work<T>,
    startsFromZeros: (answer: T) => boolean,
  ): Promise<{ answer: T; warnings: Warning[] }> {
    const id = this.#runs++;
    const session = await rejectOnAbort(this.#sessions.open(variant), signal);
    const run = (from: () => StateRequest | null): Promise<T> =>
      work(session, id, from).catch((error: unknown) => {
        if (signal?.aborted) cancel(session, id);
        throw error;
      });
    if (turn === null) return { answer: await run(() => null), warnings: [] };
    await rejectOnAbort(turn.started, signal);
    return turn.state.advance(id, variant, session, run, startsFromZeros);
  }
}

/**
 * Does the work of a run. For a model with state, takes its turn at once, so that decoding pictures does not
 * change the order.
 */
export async function withTurn<T>(
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
