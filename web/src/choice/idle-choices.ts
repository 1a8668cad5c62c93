// Makes the choices of all stages of a model, one after another while it is idle, the last stage first.

import { stageInputs } from "../manifest/stages.js";
import type { ModelStage } from "../runs/model-stage.js";
import { IdleTime } from "../worker/idle-time.js";
import { TAKEN_ON_GPU } from "./reasons.js";

interface Releasable {
  release(): Promise<void>;
}

export class IdleChoices {
  readonly #stages: readonly ModelStage[];
  readonly #idle: IdleTime;
  /** The scene of the last run, to time it again on the other backend. */
  #scene: Releasable | null = null;

  constructor(stages: readonly ModelStage[]) {
    this.#stages = stages;
    this.#idle = new IdleTime(
      (signal) => this.#choose(signal),
      () => this.#release(),
    );
    if (this.#areMade()) this.#idle.end();
    else for (const { session } of stages) session.activity = this.#idle;
  }

  /** Releases the scene of a run. Keeps the latest one until no stage is timed on it any more. */
  release(scene: Releasable): void {
    this.#release();
    this.#scene = scene;
    if (this.#idle.isOver) this.#release();
  }

  #release(): void {
    void this.#scene?.release();
    this.#scene = null;
  }

  async #choose(signal: AbortSignal): Promise<boolean> {
    for (const stage of this.#stages.toReversed()) {
      if (signal.aborted) return false;
      if (!stage.backendChoice.isMade) await this.#chooseFor(stage, signal);
    }
    // Stages without a choice are compared after later runs.
    if (!signal.aborted) this.#release();
    return this.#areMade();
  }

  async #chooseFor(stage: ModelStage, signal: AbortSignal): Promise<void> {
    const takers = this.#takersOnGpu(stage);
    if (takers.length === 0) await stage.backendChoice.choose(signal);
    else if (takers.every(({ backendChoice }) => backendChoice.isMade))
      stage.backendChoice.stay(TAKEN_ON_GPU);
  }

  /** Returns the stages that read this one's outputs on the GPU: on WASM each run would copy them. */
  #takersOnGpu({ name }: ModelStage): ModelStage[] {
    return this.#stages.filter(({ manifest, session }) => {
      const takes = stageInputs(manifest).some(({ stage }) => stage === name);
      return takes && session.loaded.candidate.backend === "webgpu";
    });
  }

  #areMade(): boolean {
    return this.#stages.every(({ backendChoice }) => backendChoice.isMade);
  }
}
