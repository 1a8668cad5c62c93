// Which backend a model with "auto" runs on: WebGPU first, then whichever is faster here, timed while nobody waits.

import { abortedError, WebbuildError } from "../api/errors.js";
import type { Backend } from "../api/load-options.js";
import type { BackendChoiceInfo } from "../api/model-info.js";
import type { Candidate } from "../fallback/candidates.js";
import { type LoadedModel, type LoadRequest, loadFirstWorking } from "../fallback/fallback-chain.js";
import type { ResilientSession } from "../fallback/recovery.js";
import type { Graph } from "../manifest/manifest.js";
import { TimedOut, withLimit } from "../worker/with-limit.js";
import { IdleTime } from "./idle-time.js";
import {
  arithmeticReason,
  comparedReason,
  NOT_YET,
  ONLY_ONE,
  tooSlowReason,
  UNKNOWN_INPUTS,
} from "./reasons.js";
import { type ChoiceMemory, writeChoice } from "./remembered.js";
import { betterBackend, type Preference, type RunTimes, type TimedRun, timeBackends } from "./timed-runs.js";

/** How much longer than a run of the current backend the other may take for its first, and the least that it gets. */
const FIRST_RUN = { times: 10, least: 2000 };
/** Multiplications and additions per millisecond of a thread, more than any processor does in WebAssembly. */
const AT_BEST = 2e7;

interface Verdict {
  backend: Backend;
  reason: string;
  times: RunTimes | null;
}

export class BackendChoice {
  readonly #session: ResilientSession;
  readonly #request: LoadRequest;
  readonly #prefer: Preference;
  readonly #memory: ChoiceMemory;
  #info: BackendChoiceInfo;

  /** Compares the backends after the first call of the session, unless `memory` knows the answer. */
  constructor(session: ResilientSession, request: LoadRequest, prefer: Preference, memory: ChoiceMemory) {
    this.#session = session;
    this.#request = request;
    this.#prefer = prefer;
    this.#memory = memory;
    const { known } = memory;
    this.#info =
      known === null ? { reason: NOT_YET, times: null } : { reason: known.reason, times: known.times };
    if (known === null) session.activity = new IdleTime((signal) => this.#choose(signal));
  }

  get info(): BackendChoiceInfo {
    return this.#info;
  }

  async #choose(signal: AbortSignal): Promise<void> {
    const { loaded } = this.#session;
    const other = loaded.remaining.find(({ backend }) => backend !== loaded.candidate.backend);
    if (other === undefined) {
      this.#info = { reason: ONLY_ONE, times: null };
      return;
    }
    try {
      await this.#compare(loaded, other, signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof WebbuildError)) throw error;
      this.#info = { reason: `the backends were not compared: ${error.message}`, times: null };
    }
  }

  async #compare(loaded: LoadedModel, other: Candidate, signal: AbortSignal): Promise<void> {
    const { backend } = loaded.candidate;
    await timedRun(loaded)();
    const own = await timedRun(loaded)();
    if (Number.isNaN(own)) {
      this.#info = { reason: UNKNOWN_INPUTS, times: null };
      return;
    }
    if (signal.aborted) return;
    const least = leastTime(other.graph, loaded.info.engine.threads);
    if (least > own) {
      await this.#remember({ backend, reason: arithmeticReason(own, least), times: null }, loaded);
      return;
    }
    const rival = await loadFirstWorking(this.#request, { signal }, { candidates: [other], warnings: [] });
    const end = (): void => rival.connection.end(abortedError());
    signal.addEventListener("abort", end);
    try {
      const verdict = await this.#verdict(loaded, rival, own);
      if (signal.aborted) return;
      if (verdict.backend !== backend) await this.#move(loaded, rival, verdict.reason);
      await this.#remember(verdict, loaded);
    } finally {
      signal.removeEventListener("abort", end);
      if (this.#session.loaded.connection !== rival.connection) end();
    }
  }

  async #verdict(loaded: LoadedModel, rival: LoadedModel, own: number): Promise<Verdict> {
    const [current, other] = [loaded.candidate.backend, rival.candidate.backend];
    const limit = Math.max(FIRST_RUN.least, FIRST_RUN.times * own);
    try {
      await withLimit(timedRun(rival)(), limit, "the other backend");
    } catch (error) {
      if (!(error instanceof TimedOut)) throw error;
      return { backend: current, reason: tooSlowReason(current, own, limit), times: null };
    }
    const runs = { [current]: timedRun(loaded), [other]: timedRun(rival) } as Record<Backend, TimedRun>;
    const times = await timeBackends(current, runs);
    const backend = betterBackend(current, times, this.#prefer, rival.info.engine.threads);
    return { backend, reason: comparedReason(backend, times, this.#prefer), times };
  }

  /** The old place stays a candidate: there the model goes where the new one fails. */
  async #move(from: LoadedModel, to: LoadedModel, reason: string): Promise<void> {
    const candidate = { ...to.candidate, reason };
    await this.#session.moveTo({
      ...to,
      candidate,
      remaining: [
        from.candidate,
        ...from.remaining.filter(({ backend }) => backend === from.candidate.backend),
      ],
    });
  }

  async #remember(verdict: Verdict, { info: { adapter } }: LoadedModel): Promise<void> {
    this.#info = { reason: verdict.reason, times: verdict.times };
    const { warn } = this.#request;
    await writeChoice(this.#memory.key, { ...verdict, adapter, at: Date.now() }, warn);
  }
}

/** A run that nobody asked for; NaN for a model that cannot be run so. */
function timedRun({ connection }: LoadedModel): TimedRun {
  return async () => (await connection.call((host) => host.timedRun())) ?? Number.NaN;
}

/** Milliseconds that a graph needs for its arithmetic at the least: 0 on a GPU, of which nothing is known. */
function leastTime({ target, macs = 0 }: Graph, threads: number): number {
  return target === "wasm" ? macs / (AT_BEST * threads) : 0;
}
