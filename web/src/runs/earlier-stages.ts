// Runs all stages but the last on a picture: the first stage, then the middle ones, which take no options.

import { internalError } from "../api/errors.js";
import type { PictureSize, Result, RunOptions } from "../api/types.js";
import type { RepeatedRun } from "../choice/visitor-runs.js";
import type { LoadedModel } from "../fallback/loaded-model.js";
import type { ResilientSession, WorkerCall } from "../fallback/resilient-session.js";
import type { Manifest } from "../manifest/manifest.js";
import { rethrowOtherOrigin } from "../preprocess/image-source.js";
import type { Picture } from "../preprocess/pixels.js";
import type { LookReport } from "../worker/look.js";
import type { WorkerRunOptions } from "../worker/worker-run-options.js";
import { keptOutputs } from "./kept-outputs.js";
import type { ModelStage } from "./model-stage.js";
import { laterStageRun, runKey, type TimedSceneCall, timeInWorker } from "./repeated-run.js";
import type { Work } from "./run-turns.js";
import { connectionCaller, type SceneCopies, sessionCaller } from "./scene-copies.js";
import type { SceneSource } from "./scene-source.js";
import { addTimings, type RunScene, StageRuns, takesCrops } from "./stage-runs.js";

type Signal = RunOptions["signal"];

/** The arguments of a run of the first stage, kept to repeat it. */
export interface Look {
  /** The scene's number in the model. */
  number: number;
  /** The variant of the first stage that fits the pictures. */
  variant: Manifest;
  pictures: readonly Picture[];
  options: WorkerRunOptions;
}

/** The session that a stage ran in, and its loaded graph then: if that has changed, the outputs are lost. */
export interface StageLocation {
  session: ResilientSession;
  loaded: LoadedModel;
}

export class EarlierStages {
  readonly #first: ModelStage;
  readonly #middle: readonly ModelStage[];
  readonly #stages: readonly ModelStage[];
  readonly #look: Look;
  readonly #copies: SceneCopies;
  readonly #scene: SceneSource;
  #location: StageLocation | null = null;
  #size: PictureSize | null = null;

  constructor(
    stages: readonly [ModelStage, ...ModelStage[]],
    look: Look,
    loadedBefore: SceneCopies,
    scene: SceneSource,
  ) {
    [this.#first] = stages;
    this.#middle = stages.slice(1, -1);
    this.#stages = stages;
    this.#look = look;
    this.#copies = loadedBefore;
    this.#scene = scene;
  }

  /** Where the first stage's outputs are; null before its first run. */
  get location(): StageLocation | null {
    return this.#location;
  }

  /** The size of the upright picture; null before the first run. */
  get size(): PictureSize | null {
    return this.#size;
  }

  /** Runs all stages but the last. If one of them is loaded again meanwhile, runs all of them once more. */
  async run(signal: Signal): Promise<LookReport> {
    const loadedBefore = this.#stages.map(({ session }) => session.loaded);
    return this.#runOnce(signal).catch(async (error: unknown) => {
      this.#first.session.check(signal);
      for (const { session } of this.#stages) await session.ready(signal);
      if (this.#stages.every(({ session }, at) => session.loaded === loadedBefore[at])) throw error;
      return this.#runOnce(signal);
    });
  }

  async #runOnce(signal: Signal): Promise<LookReport> {
    const { number, variant, pictures, options } = this.#look;
    const work: Work<LookReport> = async (session, id) => {
      const call: WorkerCall<LookReport> = (host) => {
        this.#copies.addHolder(session.loaded);
        const kept = keptOutputs(this.#stages, this.#first, session.loaded);
        return host.scenes.look(id, number, pictures, options, kept).catch(rethrowOtherOrigin);
      };
      const report = await session.call(call, () => call, signal);
      const { loaded } = session;
      this.#location = { session, loaded };
      this.#copies.markCurrent(loaded);
      this.#size = [report.source.width, report.source.height];
      const key = runKey("look", this.#size, options);
      const repeatOn = (elsewhere: LoadedModel) => this.#repeatOn(elsewhere);
      this.#first.recordRun({ variant, loaded, key, scene: this.#scene, repeatOn }, report.timings.total);
      return report;
    };
    const order = { turn: null, signal };
    const { answer } = await this.#first.turns.run(variant, order, work, () => false);
    for (const stage of this.#middle) addTimings(answer.timings, await this.#advance(stage, signal));
    return answer;
  }

  /** Runs a middle stage, and copies its outputs to the first stage's worker. Returns its timings. */
  async #advance(stage: ModelStage, signal: Signal): Promise<Result["timings"]> {
    const first = this.#location;
    if (first === null) throw internalError("a stage before the first");
    const [variant = stage.manifest] = stage.sessions.variants;
    if (takesCrops(variant)) return this.#lookAtCrops(stage, first, signal);
    const work: Work<Result["timings"]> = async (session, id) => {
      const copy = await this.copyToWorkerOf(session, first, signal);
      const ref = this.#copies.refOf(copy);
      const kept = keptOutputs(this.#stages, stage, session.loaded);
      const call = sessionCaller(session, signal);
      const { timings, warnings } = await call((scenes) => scenes.advance(id, ref, kept));
      stage.session.warn(warnings);
      const run = { variant, loaded: session.loaded, key: runKey("advance", this.#size, {}) };
      const repeat: TimedSceneCall = (scenes, to) => scenes.advance(-1, to, { ...kept, onGpu: [] });
      stage.recordRun(laterStageRun(run, this.#scene, repeat, 2), timings.total);
      this.#copies.markCurrent(copy);
      if (copy === first.loaded) return timings;
      await this.#copies.copy(copy, call, first.loaded, sessionCaller(first.session, signal));
      return timings;
    };
    const { answer } = await stage.turns.run(variant, { turn: null, signal }, work, () => false);
    return answer;
  }

  /** Runs a middle stage that takes crops, in batches. Its result stays in the scene for the next stage. */
  async #lookAtCrops(stage: ModelStage, first: StageLocation, signal: Signal): Promise<Result["timings"]> {
    let last = first;
    const scene: RunScene = {
      size: this.#size,
      refFor: async (session) => {
        const copy = await this.copyToWorkerOf(session, first, signal);
        last = { session, loaded: copy };
        return this.#copies.refOf(copy);
      },
      isLost: async () => false,
      copyTo: (elsewhere) => this.#scene.copyTo(elsewhere),
    };
    const { timings, warnings } = await new StageRuns(stage, scene).advanceCrops(signal);
    stage.session.warn(warnings);
    this.#copies.markCurrent(last.loaded);
    if (last.loaded !== first.loaded) {
      const [from, to] = [sessionCaller(last.session, signal), sessionCaller(first.session, signal)];
      await this.#copies.copy(last.loaded, from, first.loaded, to);
    }
    return timings;
  }

  /** Copies the scene to the session's worker, unless it is there already. Returns the loaded graph that holds it there. */
  async copyToWorkerOf(
    session: ResilientSession,
    first: StageLocation,
    signal: Signal,
  ): Promise<LoadedModel> {
    const { loaded } = session;
    const known = this.#copies.findInWorkerOf(first.loaded, loaded);
    const read = sessionCaller(first.session, signal);
    return known ?? this.#copies.copy(first.loaded, read, loaded, sessionCaller(session, signal));
  }

  /** Repeats the first stage on another backend, and times a copy of its outputs. Null if the scene was released. */
  async #repeatOn(elsewhere: LoadedModel): Promise<RepeatedRun | null> {
    const { number, pictures, options } = this.#look;
    const { names } = keptOutputs(this.#stages, this.#first, elsewhere);
    const run = () =>
      timeInWorker(elsewhere, (scenes) => scenes.look(-1, number, pictures, options, { names, onGpu: [] }));
    try {
      if (this.#scene.isReleased) return null;
      await run();
      const start = performance.now();
      await this.#copies.copy(elsewhere, connectionCaller(elsewhere), elsewhere, connectionCaller(elsewhere));
      return { run, transferTime: performance.now() - start };
    } catch (error) {
      if (this.#scene.isReleased) return null;
      throw error;
    }
  }
}
