// Runs a later stage on a scene: as a whole, or part by part (crops, points of a grid) in batches.

import type { PictureSize, Result, RunOptions, Tensors } from "../api/types.js";
import type { LoadedModel } from "../fallback/loaded-model.js";
import type { ResilientSession } from "../fallback/resilient-session.js";
import { copiedFeeds } from "../inputs/validate-inputs.js";
import type { Manifest } from "../manifest/manifest.js";
import type { SceneRef } from "../stages/scene-store.js";
import { severalClicks } from "../tasks/mask-generation/everything/grid.js";
import type { EverythingResult } from "../tasks/mask-generation/everything/result.js";
import type { EverythingSettings } from "../tasks/mask-generation/everything/settings.js";
import { optionVariant } from "../tasks/task-options.js";
import type { RemoteHost } from "../worker/connection.js";
import type { JoinedParts } from "../worker/part-run.js";
import type { StageReport, StageTensors } from "../worker/stage-run.js";
import type { WorkerRunOptions } from "../worker/worker-run-options.js";
import type { ModelStage } from "./model-stage.js";
import { laterStageRun, runKey, type Timed, type TimedSceneCall } from "./repeated-run.js";
import { reportingListener } from "./reporting-listener.js";
import type { SceneSource } from "./scene-source.js";

type Signal = RunOptions["signal"];

/** A call to the stage's worker: the run's number, and the scene's reference in that worker. */
type StageCall<T> = (host: RemoteHost["scenes"], id: number, ref: SceneRef) => Promise<T>;

/**
 * How parts are batched: `single` is the variant for one part; `next` chooses variant and batch size for the
 * remaining parts.
 */
interface PartPlan {
  single: Manifest;
  next(left: number, size: PictureSize | null): { variant: Manifest; count: number };
}

/** Joins the pieces of all batches in the worker. */
type FinishParts<T> = (host: RemoteHost["scenes"], id: number, ref: SceneRef, all: JoinedParts) => Promise<T>;

/** `onProgress`. Its errors do not stop the run. */
type PartListener = NonNullable<RunOptions["onProgress"]>;

/** The part of a SceneSource that StageRuns needs. */
export type RunScene = Pick<SceneSource, "size" | "refFor" | "isLost" | "copyTo">;

export class StageRuns {
  readonly #stage: ModelStage;
  readonly #source: RunScene;

  constructor(stage: ModelStage, source: RunScene) {
    this.#stage = stage;
    this.#source = source;
  }

  /** Runs the stage in the way of its task. */
  async run(options: WorkerRunOptions, signal: Signal, onProgress?: PartListener): Promise<Result> {
    const variant = optionVariant(this.#stage.sessions.variants, options);
    const result = await (takesCrops(variant)
      ? this.#runParts(options, signal, this.#cropPlan(), finishByJoining(options), onProgress)
      : this.#timedCall(["run", variant], options, signal, (host, id, ref) => host.run(id, ref, options)));
    this.#stage.session.warn(result.warnings);
    this.#stage.session.loaded.info.postprocess = result.postprocess;
    this.#stage.lastTimings = result.timings;
    return result;
  }

  /** Runs a middle stage that takes crops; its result is kept in the scene. */
  advanceCrops(signal: Signal): Promise<StageReport> {
    return this.#runParts({}, signal, this.#cropPlan(), (host, id, ref, all) => host.keepParts(id, ref, all));
  }

  /** Runs the stage on a grid of points. */
  async everything(
    everything: EverythingSettings,
    signal: Signal,
    onProgress: PartListener,
  ): Promise<EverythingResult> {
    const { variants } = this.#stage.sessions;
    const single = optionVariant(variants, { points: [{ x: 0, y: 0 }] });
    const several = severalClicks(variants, everything.pointsPerSide ** 2);
    const next: PartPlan["next"] = (left) =>
      several !== null && several.size <= left
        ? { variant: several.variant, count: several.size }
        : { variant: single, count: 1 };
    const plan = { single, next };
    const options = { everything };
    const result: unknown = await this.#runParts(options, signal, plan, finishByJoining(options), onProgress);
    return result as EverythingResult;
  }

  /** Returns all outputs. Inputs from earlier stages that are not in `feeds` come from the scene. */
  async runTensors(feeds: Tensors, signal: Signal): Promise<Tensors> {
    const variant = this.#stage.choice.variantFor(feeds);
    const filled = this.#stage.manifest.glueModule === undefined ? ["stage"] : ["stage", "tensor"];
    const inputs = variant.inputs.filter(({ kind, name }) => !filled.includes(kind) || Object(feeds)[name]);
    const complete = copiedFeeds(inputs, feeds);
    const run: StageCall<StageTensors> = (host, id, ref) => host.runTensors(id, ref, complete);
    return (await this.#timedCall(["tensors", variant], complete, signal, run)).outputs;
  }

  /** Batches crops of one input size, each time in the largest batch that they fill. */
  #cropPlan(): PartPlan {
    const { choice } = this.#stage;
    return {
      single: choice.variantOf(null, 1),
      next(left, size) {
        const count = choice.largestBatch(left);
        return { variant: choice.variantOf(size, count), count };
      },
    };
  }

  /** Runs the parts of the picture; other runs get their turn between batches. */
  async #runParts<T>(
    options: WorkerRunOptions,
    signal: Signal,
    { single, next }: PartPlan,
    finish: FinishParts<T>,
    onProgress: PartListener = () => {},
  ): Promise<T> {
    const lines = await this.#call(single, signal, (host, id, ref) => host.partLines(id, ref, options));
    const report = reportingListener(onProgress);
    const pieces: unknown[] = [];
    const timings = { preprocess: 0, inference: 0, postprocess: 0, total: 0 };
    let done = 0;
    for (const { size, parts } of this.#stage.choice.partsBySize(lines)) {
      for (let begin = 0; begin < parts.length; ) {
        const { variant, count } = next(parts.length - begin, size);
        const batch = parts.slice(begin, begin + count);
        const found = await this.#timedCall(["parts", variant], options, signal, (host, id, ref) =>
          host.runParts(id, ref, options, batch),
        );
        for (const [at, part] of batch.entries()) pieces[part] = found.pieces[at];
        addTimings(timings, found.timings);
        begin += batch.length;
        done += batch.length;
        report({ done, total: lines.length });
      }
    }
    const all = { pieces, timings, sizes: this.#stage.choice.sizes };
    return this.#call(single, signal, (host, id, ref) => finish(host, id, ref, all));
  }

  /** Makes a call and records its time, to compare the backends. */
  #timedCall<T extends Timed>(
    [kind, variant]: [string, Manifest],
    options: object,
    signal: Signal,
    call: StageCall<T>,
  ): Promise<T> {
    const key = runKey(kind, this.#source.size, options);
    const ask: TimedSceneCall = (scenes, ref) => call(scenes, -1, ref);
    return this.#call(variant, signal, call, ({ timings }, loaded) =>
      this.#stage.recordRun(laterStageRun({ variant, loaded, key }, this.#source, ask, 1), timings.total),
    );
  }

  async #call<T>(
    variant: Manifest,
    signal: Signal,
    call: StageCall<T>,
    onAnswer: (answer: T, loaded: LoadedModel) => void = () => {},
  ): Promise<T> {
    const work = async (session: ResilientSession, id: number): Promise<T> => {
      const answer = await this.#callOnScene(session, signal, (host, ref) => call(host, id, ref));
      onAnswer(answer, session.loaded);
      return answer;
    };
    const { answer } = await this.#stage.turns.run(variant, { turn: null, signal }, work, () => false);
    return answer;
  }

  /** Makes a call on the scene. If this stage or the first was loaded again meanwhile, makes it once more. */
  async #callOnScene<T>(
    session: ResilientSession,
    signal: Signal,
    call: (host: RemoteHost["scenes"], ref: SceneRef) => Promise<T>,
  ): Promise<T> {
    await session.ready(signal);
    const { loaded } = session;
    const once = async (): Promise<T> => {
      const ref = await this.#source.refFor(session, signal);
      return session.call(
        ({ scenes }) => call(scenes, ref),
        () => null,
        signal,
      );
    };
    return once().catch(async (error: unknown) => {
      session.check(signal);
      await session.ready(signal);
      if (session.loaded === loaded && !(await this.#source.isLost(signal))) throw error;
      return once();
    });
  }
}

export function takesCrops({ inputs }: Pick<Manifest, "inputs">): boolean {
  return inputs.some(({ kind }) => kind === "crop");
}

function finishByJoining(options: WorkerRunOptions): FinishParts<Result> {
  return (host, id, ref, all) => host.joinParts(id, ref, options, all);
}

/** Adds the milliseconds of a run to a sum. */
export function addTimings(sum: Result["timings"], more: Result["timings"]): void {
  sum.preprocess += more.preprocess;
  sum.inference += more.inference;
  sum.postprocess += more.postprocess;
  sum.total += more.total;
}
