// The states of a recurrent model: the default one, one for each stream, and those that `newState()` made.

import type { VariantSessions } from "../fallback/variant-sessions.js";
import { stateInputs } from "../inputs/state-inputs.js";
import type { Manifest } from "../manifest/manifest.js";
import { WebbuildError } from "./errors.js";
import { hasNoState, ModelState } from "./state.js";

/** @internal */
export class ModelStates {
  /** The state that a run reads and writes by default. Null for a model without state. */
  readonly shared: ModelState | null;
  readonly #sessions: VariantSessions;
  readonly #has: boolean;
  #made = 0;

  constructor(sessions: VariantSessions, { inputs }: Manifest) {
    this.#sessions = sessions;
    this.#has = stateInputs(inputs).length > 0;
    this.shared = this.#has ? this.create() : null;
  }

  /** Returns a new state. Throws for a model without state. */
  create(): ModelState {
    if (!this.#has) throw hasNoState();
    return ModelState.of(this.#sessions, this.#made++);
  }

  /** Returns a new state for a stream; null if it has `options.state`, or the model has no state. */
  ofStream(given: ModelState | undefined): ModelState | null {
    return this.shared === null || given !== undefined ? null : this.create();
  }

  /** Returns the state of a run, null for a model without state. */
  ofRun(given: ModelState | undefined): ModelState | null {
    if (given === undefined) return this.shared;
    if (ModelState.isOf(given, this.#sessions)) return given;
    const fix =
      "give a state that newState() of this model returned and that was not released, or leave it out";
    throw new WebbuildError("invalid-option", "state: not a state of this model", fix);
  }

  /** Returns the default state. Throws for a model without state. */
  required(): ModelState {
    if (this.shared === null) throw hasNoState();
    return this.shared;
  }
}
