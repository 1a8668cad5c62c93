// A stage of a model, on the page: its sessions, and the choice of one for a run.

import type { ModelListener } from "../api/model-events.js";
import type { ModelInfo } from "../api/model-info.js";
import type { Result } from "../api/types.js";
import type { BackendChoice } from "../choice/backend-choice.js";
import type { VisitorRun, VisitorRuns } from "../choice/visitor-runs.js";
import type { ResilientSession } from "../fallback/resilient-session.js";
import type { VariantSessions } from "../fallback/variant-sessions.js";
import type { StageManifest } from "../manifest/stages.js";
import { RunTurns } from "./run-turns.js";
import { VariantChoice } from "./variant-choice.js";

export class ModelStage {
  /** The manifest with all variants of the stage. */
  readonly manifest: StageManifest;
  readonly sessions: VariantSessions;
  readonly choice: VariantChoice;
  readonly turns: RunTurns;
  readonly backendChoice: BackendChoice;
  /** The timings of the last run with a result. */
  lastTimings: Result["timings"] | null = null;
  readonly #visitorRuns: VisitorRuns;

  constructor(
    manifest: StageManifest,
    sessions: VariantSessions,
    backendChoice: BackendChoice,
    visitorRuns: VisitorRuns,
  ) {
    this.backendChoice = backendChoice;
    this.#visitorRuns = visitorRuns;
    this.manifest = manifest;
    this.sessions = sessions;
    this.choice = new VariantChoice(sessions.variants);
    this.turns = new RunTurns(sessions);
  }

  /** The stage's name, empty for a model of one stage. */
  get name(): string {
    return this.manifest.stageName ?? "";
  }

  /** The info of the first session. */
  get info(): Omit<ModelInfo, "stages" | "text"> {
    return structuredClone({ ...this.session.loaded.info, choice: this.backendChoice.info });
  }

  /** The session of the first variant. */
  get session(): ResilientSession {
    return this.sessions.first;
  }

  /** Sets the listener for events of the stage. */
  listen(listener: ModelListener): void {
    this.session.listener = listener;
    this.backendChoice.onMade = () => listener.onChange();
  }

  /** Records the time of a run, until the backend is chosen. */
  recordRun(run: VisitorRun, milliseconds: number): void {
    if (this.backendChoice.isMade) this.#visitorRuns.forget();
    else this.#visitorRuns.record(run, milliseconds);
  }
}
