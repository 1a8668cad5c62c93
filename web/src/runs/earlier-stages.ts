// The runs of all stages but the last on a picture: the first, and those between, which are asked nothing.

import { internalError } from "../api/errors.js";
import type { PictureSize, Result, RunOptions } from "../api/types.js";
import type { RepeatedRun } from "../choice/visitor-runs.js";
import type { LoadedModel } from "../fallback/fallback-chain.js";
import type { ResilientSession, WorkerCall } from "../fallback/resilient-session.js";
import type { Manifest } from "../manifest/manifest.js";
import { blamingOrigin } from "../preprocess/image-source.js";
import type { Picture } from "../preprocess/pixels.js";
import type { LookReport } from "../worker/look.js";
import type { WorkerRunOptions } from "../worker/worker-host.js";
import { keptOutputs } from "./kept-outputs.js";
import type { ModelStage } from "./model-stage.js";
import { type Ask, formOf, laterRun, timed } from "./repeated-run.js";
import type { Work } from "./run-turns.js";
import { aside, asking, type ScenePlaces } from "./scene-places.js";
import type { SceneSource } from "./scene-source.js";
import { addTimings, type RunScene, StageRuns, takesCrops } from "./stage-runs.js";

type Signal = RunOptions["signal"];

/** A run of the first stage, and how to do it again. */
export interface Look {
  /** The scene's number in the model. */
  number: number;
  /** The variant of the first stage that fits the pictures. */
  variant: Manifest;
  pictures: readonly Picture[];
  options: WorkerRunOptions;
}

/** Where a session has run. */
export interface Place {
  session: ResilientSession;
  loaded: LoadedModel;
}

export class EarlierStages {
  readonly #first: ModelStage;
  readonly #middle: readonly ModelStage[];
  readonly #stages: readonly ModelStage[];
  readonly #look: Look;
  readonly #places: ScenePlaces;
  readonly #scene: SceneSource;
  #place: Place | null = null;
  #size: PictureSize | null = null;

  constructor(
    stages: readonly [ModelStage, ...ModelStage[]],
    look: Look,
    places: ScenePlaces,
    scene: SceneSource,
  ) {
    [this.#first] = stages;
    this.#middle = stages.slice(1, -1);
    this.#stages = stages;
    this.#look = look;
    this.#places = places;
    this.#scene = scene;
  }

  /** Where the first stage has written its outputs; null before it has. */
  get place(): Place | null {
    return this.#place;
  }

  /** Of the upright picture, known when it was looked at. */
  get size(): PictureSize | null {
    return this.#size;
  }

  /** Runs all stages but the last; once more where one of them moves to another place. */
  async run(signal: Signal): Promise<LookReport> {
    const places = this.#stages.map(({ session }) => session.loaded);
    return this.#runOnce(signal).catch(async (error: unknown) => {
      this.#first.session.check(signal);
      for (const { session } of this.#stages) await session.ready(signal);
      if (this.#stages.every(({ session }, at) => session.loaded === places[at])) throw error;
      return this.#runOnce(signal);
    });
  }

  async #runOnce(signal: Signal): Promise<LookReport> {
    const { number, variant, pictures, options } = this.#look;
    const work: Work<LookReport> = async (session, id) => {
      const call: WorkerCall<LookReport> = (host) => {
        this.#places.add(session.loaded);
        const kept = keptOutputs(this.#stages, this.#first, session.loaded);
        return host.scenes.look(id, number, pictures, options, kept).catch(blamingOrigin);
      };
      const report = await session.call(call, () => call, signal);
      const { loaded: place } = session;
      this.#place = { session, loaded: place };
      this.#places.changed(place);
      this.#size = [report.source.width, report.source.height];
      const form = formOf("look", this.#size, options);
      const on = (elsewhere: LoadedModel) => this.#runIn(elsewhere);
      this.#first.recordRun({ variant, place, form, scene: this.#scene, on }, report.timings.total);
      return report;
    };
    const order = { turn: null, signal };
    const { answer } = await this.#first.turns.run(variant, order, work, () => false);
    for (const stage of this.#middle) addTimings(answer.timings, await this.#advance(stage, signal));
    return answer;
  }

  /** Runs a stage between the first and the last; its outputs come to the others. Returns how long it took. */
  async #advance(stage: ModelStage, signal: Signal): Promise<Result["timings"]> {
    const place = this.#place;
    if (place === null) throw internalError("a stage before the first");
    const [variant = stage.manifest] = stage.sessions.variants;
    if (takesCrops(variant)) return this.#lookAtCrops(stage, place, signal);
    const work: Work<Result["timings"]> = async (session, id) => {
      const there = await this.broughtTo(session, place, signal);
      const ref = this.#places.refOf(there);
      const kept = keptOutputs(this.#stages, stage, session.loaded);
      const ask = asking(session, signal);
      const { timings, warnings } = await ask((scenes) => scenes.advance(id, ref, kept));
      stage.session.warn(warnings);
      const run = { variant, place: session.loaded, form: formOf("advance", this.#size, {}) };
      const again: Ask = (scenes, to) => scenes.advance(-1, to, { ...kept, onGpu: [] });
      stage.recordRun(laterRun(run, this.#scene, again, 2), timings.total);
      this.#places.changed(there);
      if (there === place.loaded) return timings;
      await this.#places.copy(there, ask, place.loaded, asking(place.session, signal));
      return timings;
    };
    const { answer } = await stage.turns.run(variant, { turn: null, signal }, work, () => false);
    return answer;
  }

  /** Runs a stage between that looks at crops, in batches; what it says is kept for the next. */
  async #lookAtCrops(stage: ModelStage, place: Place, signal: Signal): Promise<Result["timings"]> {
    let last = place;
    const scene: RunScene = {
      size: this.#size,
      refIn: async (session) => {
        const there = await this.broughtTo(session, place, signal);
        last = { session, loaded: there };
        return this.#places.refOf(there);
      },
      moved: async () => false,
      copyTo: (elsewhere) => this.#scene.copyTo(elsewhere),
    };
    const { timings, warnings } = await new StageRuns(stage, scene).advanceCrops(signal);
    stage.session.warn(warnings);
    this.#places.changed(last.loaded);
    if (last.loaded !== place.loaded) {
      const [from, to] = [asking(last.session, signal), asking(place.session, signal)];
      await this.#places.copy(last.loaded, from, place.loaded, to);
    }
    return timings;
  }

  /** Returns where the scene lies in the session's worker. */
  async broughtTo(session: ResilientSession, place: Place, signal: Signal): Promise<LoadedModel> {
    const { loaded } = session;
    const known = this.#places.find(place.loaded, loaded);
    const read = asking(place.session, signal);
    return known ?? this.#places.copy(place.loaded, read, loaded, asking(session, signal));
  }

  /** Runs the first stage in a worker that nobody waits for, and sees how long its outputs take to another; null where the picture is closed. */
  async #runIn(elsewhere: LoadedModel): Promise<RepeatedRun | null> {
    const { number, pictures, options } = this.#look;
    const { names } = keptOutputs(this.#stages, this.#first, elsewhere);
    const run = () =>
      timed(elsewhere, (scenes) => scenes.look(-1, number, pictures, options, { names, onGpu: [] }));
    try {
      if (this.#scene.isReleased) return null;
      await run();
      const start = performance.now();
      await this.#places.copy(elsewhere, aside(elsewhere), elsewhere, aside(elsewhere));
      return { run, transferTime: performance.now() - start };
    } catch (error) {
      if (this.#scene.isReleased) return null;
      throw error;
    }
  }
}
