// A stage of a model, on the page: its sessions, and which of them a run takes. A model of one stage has one.

import type { ModelInfo } from "../api/model-info.js";
import type { BackendChoice } from "../choice/backend-choice.js";
import type { ResilientSession } from "../fallback/recovery.js";
import type { VariantSessions } from "../fallback/variant-sessions.js";
import type { StageManifest } from "../manifest/stages.js";
import { RunTurns } from "./run-turns.js";
import { VariantChoice } from "./variant-choice.js";

export class ModelStage {
  /** With all variants of the stage. */
  readonly manifest: StageManifest;
  readonly sessions: VariantSessions;
  readonly choice: VariantChoice;
  readonly turns: RunTurns;
  readonly #backendChoice: BackendChoice | string;

  /** `backendChoice` is a string where there is nothing to choose: why. */
  constructor(manifest: StageManifest, sessions: VariantSessions, backendChoice: BackendChoice | string) {
    this.#backendChoice = backendChoice;
    this.manifest = manifest;
    this.sessions = sessions;
    this.choice = new VariantChoice(sessions.variants);
    this.turns = new RunTurns(sessions);
  }

  /** Empty where the model has no other stage. */
  get name(): string {
    return this.manifest.stageName ?? "";
  }

  /** What is known of the first session. */
  get info(): Omit<ModelInfo, "stages"> {
    const choice = this.#backendChoice;
    const said = typeof choice === "string" ? { reason: choice, times: null } : choice.info;
    return structuredClone({ ...this.session.loaded.info, choice: said });
  }

  /** The session of the first variant. */
  get session(): ResilientSession {
    return this.sessions.first;
  }
}
