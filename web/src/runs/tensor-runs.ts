// Runs of a model on tensors.

import type { ModelState } from "../api/state.js";
import type { Tensors } from "../api/types.js";
import type { WorkerCall } from "../fallback/resilient-session.js";
import { stateInputs } from "../inputs/state-inputs.js";
import { copiedFeeds } from "../inputs/validate-inputs.js";
import type { ModelStage } from "./model-stage.js";
import { type Work, withTurn } from "./run-turns.js";

export class TensorRuns {
  readonly #stage: ModelStage;

  constructor(stage: ModelStage) {
    this.#stage = stage;
  }

  /** Returns all outputs. If there are several variants, runs the one that fits the tensors' shapes. */
  async run(feeds: Tensors, state: ModelState | null, signal: AbortSignal | undefined): Promise<Tensors> {
    const variant = this.#stage.choice.variantFor(feeds);
    const complete = copiedFeeds(variant.inputs, feeds);
    for (const { name } of stateInputs(variant.inputs)) if (feeds[name] === undefined) delete complete[name];
    const work: Work<Tensors> = (session, id, from) => {
      const call: WorkerCall<Tensors> = (host) => host.runTensors(id, complete, from());
      return session.call(call, () => call, signal);
    };
    const { answer, warnings } = await withTurn(state, (turn) =>
      this.#stage.turns.run(variant, { turn, signal }, work, () => false),
    );
    this.#stage.session.warn(warnings);
    return answer;
  }
}
