// Chooses the backend of a stage with "auto": WebGPU first, then the faster one on this machine, measured
// while it is idle.

import { asWebbuildError, internalError } from "../api/errors.js";
import type { Backend } from "../api/load-options.js";
import type { BackendChoiceInfo } from "../api/model-info.js";
import { leastTime } from "../engine/least-time.js";
import type { LoadRequest } from "../fallback/load-request.js";
import type { LoadedModel } from "../fallback/loaded-model.js";
import type { VariantSessions } from "../fallback/variant-sessions.js";
import { TrialCount } from "../storage/trial-count.js";
import { TimedOut, withLimit } from "../worker/with-limit.js";
import { type ChoiceMemory, writeChoice } from "./choice-memory.js";
import { moveStage, otherCandidate } from "./move-stage.js";
import { OtherBackend } from "./other-backend.js";
import { comparedReason, leastReason, NOT_YET, ONLY_ONE, tooSlowReason } from "./reasons.js";
import { betterBackend, type Preference, type RunTimes, type TimedRun, timeBackends } from "./timed-runs.js";
import type { FindTrial, Trial } from "./trial.js";

/**
 * The time limit of the other backend's first run: a multiple of the current backend's run, and a minimum in
 * milliseconds.
 */
const FIRST_RUN = { times: 10, least: 2000 };

interface Verdict {
  backend: Backend;
  reason: string;
  times: RunTimes | null;
}

/** The sessions to compare, and the caller's options. */
export interface Compared {
  sessions: VariantSessions;
  request: LoadRequest;
  prefer: Preference;
  memory: ChoiceMemory;
  findTrial: FindTrial;
}

export class BackendChoice {
  readonly #compared: Compared | null;
  #info: BackendChoiceInfo;
  #isMade: boolean;
  /** Called when the choice is made. */
  onMade: () => void = () => {};

  /** A string is the reason why the backends are not compared. A stored choice is not compared again. */
  constructor(compared: Compared | string) {
    const isFixed = typeof compared === "string";
    this.#compared = isFixed ? null : compared;
    const known = isFixed ? { reason: compared, times: null } : compared.memory.known;
    this.#isMade = known !== null;
    this.#info = { reason: known?.reason ?? NOT_YET, times: known?.times ?? null };
  }

  get info(): BackendChoiceInfo {
    return this.#info;
  }

  get isMade(): boolean {
    return this.#isMade;
  }

  /** Keeps the stage on its backend for this visit. */
  stay(reason: string): void {
    this.#made({ reason, times: null });
  }

  /** Compares the backends, if there is a run to time. Aborts when `signal` fires. */
  async choose(signal: AbortSignal): Promise<void> {
    if (this.#compared === null) return;
    try {
      const trial = await this.#compared.findTrial();
      if (trial === null || signal.aborted) return;
      if (typeof trial === "string") this.stay(trial);
      else await this.#compare(this.#compared, trial, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      this.stay(`the backends were not compared: ${asWebbuildError(error, internalError).message}`);
    }
  }

  async #compare(compared: Compared, trial: Trial, signal: AbortSignal): Promise<void> {
    const { loaded } = await compared.sessions.open(trial.variant);
    // Runs before a loss or a move were on another loaded graph.
    if (trial.loaded !== loaded) return;
    const other = otherCandidate(loaded);
    if (other === undefined) {
      this.stay(ONLY_ONE);
      return;
    }
    const least = leastTime(other.graph, loaded.info.engine.threads, trial.bytes);
    if (least > trial.time) {
      const { backend } = loaded.candidate;
      const reason = leastReason(trial.time, least);
      await this.#remember(compared, { backend, reason, times: null }, loaded);
      return;
    }
    if (!trial.isEnough) return;
    const count = new TrialCount(compared.memory.key, compared.request.warn);
    const refusal = await count.refusal();
    if (refusal !== null) {
      this.stay(`the backends are not compared: ${refusal}`);
      return;
    }
    await count.begin();
    const otherBackend = new OtherBackend(compared.request, signal);
    try {
      const elsewhere = await otherBackend.open(trial.variant, other);
      const verdict = await reach(compared.prefer, trial, loaded, elsewhere);
      if (verdict === null || signal.aborted) return;
      const { backend, reason } = verdict;
      const went =
        backend === other.backend && (await moveStage(compared.sessions, loaded, otherBackend, reason));
      const stays = backend === loaded.candidate.backend;
      if (went || (stays && !signal.aborted)) await this.#remember(compared, verdict, loaded);
    } finally {
      otherBackend.end();
      await count.end();
    }
  }

  async #remember(
    { request, memory }: Compared,
    verdict: Verdict,
    { info: { adapter } }: LoadedModel,
  ): Promise<void> {
    this.#made({ reason: verdict.reason, times: verdict.times });
    await writeChoice(memory.key, { ...verdict, adapter, at: Date.now() }, request.warn);
  }

  #made(info: BackendChoiceInfo): void {
    this.#info = info;
    this.#isMade = true;
    this.onMade();
  }
}

/** Times both backends. Returns null if the run's inputs are gone. */
async function reach(
  prefer: Preference,
  trial: Trial,
  loaded: LoadedModel,
  elsewhere: LoadedModel,
): Promise<Verdict | null> {
  const [current, other] = [loaded.candidate.backend, elsewhere.candidate.backend];
  const limit = Math.max(FIRST_RUN.least, FIRST_RUN.times * trial.time);
  try {
    const run = await withLimit(firstRun(trial, elsewhere), limit, "the other backend");
    if (run === null) return null;
    const runs = { [current]: trial.own, [other]: run } as Record<Backend, TimedRun>;
    const times = await timeBackends(current, runs);
    const backend = betterBackend(current, times, prefer, elsewhere.info.engine.threads);
    return { backend, reason: comparedReason(backend, times, prefer), times };
  } catch (error) {
    if (!(error instanceof TimedOut)) throw error;
    return { backend: current, reason: tooSlowReason(current, trial.time, limit), times: null };
  }
}

async function firstRun(trial: Trial, elsewhere: LoadedModel): Promise<TimedRun | null> {
  const run = await trial.runOn(elsewhere);
  await run?.();
  return run;
}
