// What a scene is made of: the picture that was looked at, and where the first stage's outputs lie now. Where these are
// lost with a worker, the first stage runs again.

import { internalError } from "../api/errors.js";
import type { PictureSize, Result, RunOptions } from "../api/types.js";
import type { Crossing } from "../choice/visitor-runs.js";
import type { LoadedModel } from "../fallback/fallback-chain.js";
import { type ResilientSession, rejectOnAbort, type WorkerCall } from "../fallback/recovery.js";
import type { Manifest } from "../manifest/manifest.js";
import { blamingOrigin } from "../preprocess/image-source.js";
import { closePictures, type Picture } from "../preprocess/pixels.js";
import type { SceneRef } from "../stages/scene-store.js";
import type { SceneView } from "../stages/scene-view.js";
import type { LookReport } from "../worker/look.js";
import type { WorkerRunOptions } from "../worker/worker-host.js";
import { type Ask, formOf, laterRun, timed } from "./asked-again.js";
import { keptOutputs } from "./kept-outputs.js";
import type { ModelStage } from "./model-stage.js";
import type { Work } from "./run-turns.js";
import { type AskScenes, ScenePlaces } from "./scene-places.js";
import { addTimings } from "./stage-runs.js";

type Signal = RunOptions["signal"];

/** A run of the first stage, and how to do it again. */
interface Look {
  /** The scene's number in the model. */
  number: number;
  /** The variant of the first stage that fits the pictures. */
  variant: Manifest;
  pictures: readonly Picture[];
  options: WorkerRunOptions;
}

interface Place {
  session: ResilientSession;
  loaded: LoadedModel;
}

export class SceneSource {
  readonly #first: ModelStage;
  /** The stages between the first and the last, which are asked nothing: they run with the first. */
  readonly #middle: readonly ModelStage[];
  readonly #stages: readonly ModelStage[];
  readonly #look: Look;
  /** Where the first stage has written its outputs; null before it has. */
  #place: Place | null = null;
  readonly #places: ScenePlaces;
  /** Of the upright picture, known when it was looked at. */
  #size: PictureSize | null = null;
  /** One at a time, whoever asks. */
  #looking: Promise<LookReport> | null = null;
  #released = false;

  constructor(stages: readonly [ModelStage, ...ModelStage[]], look: Look) {
    [this.#first] = stages;
    this.#middle = stages.slice(1, -1);
    this.#stages = stages;
    this.#look = look;
    this.#places = new ScenePlaces(look.number);
  }

  get size(): PictureSize | null {
    return this.#size;
  }

  /** Runs all stages but the last; once more where one of them moves to another place. */
  async look(signal: Signal): Promise<LookReport> {
    const places = this.#stages.map(({ session }) => session.loaded);
    return this.#lookOnce(signal).catch(async (error: unknown) => {
      this.#first.session.check(signal);
      for (const { session } of this.#stages) await session.ready(signal);
      if (this.#stages.every(({ session }, at) => session.loaded === places[at])) throw error;
      return this.#lookOnce(signal);
    });
  }

  /** Returns the scene as the session's worker knows it: copied there where the first stage runs in another. */
  async refIn(session: ResilientSession, signal: Signal): Promise<SceneRef> {
    const once = async (): Promise<SceneRef> =>
      this.#places.refOf(await this.#broughtTo(session, await this.#ensure(signal), signal));
    return once().catch(async (error: unknown) => {
      if (!(await this.moved(signal))) throw error;
      return once();
    });
  }

  /**
   * Copies the scene to where nobody waits for it, and says how many milliseconds that took; null where it is not here to
   * be copied. It is no call of the model's.
   */
  async copyTo(rival: LoadedModel): Promise<{ ref: SceneRef; crossing: number } | null> {
    const place = this.#place;
    if (place === null || this.#released || place.session.loaded !== place.loaded) return null;
    const start = performance.now();
    try {
      await this.#places.copy(place.loaded, aside(place.loaded), rival, aside(rival));
      return { ref: this.#places.refOf(rival), crossing: performance.now() - start };
    } catch (error) {
      if (this.#released) return null;
      throw error;
    }
  }

  /** Returns the results of all stages but the last, by their names. */
  async results(): Promise<SceneView["results"]> {
    const { session, loaded } = await this.#ensure(undefined);
    const { view } = await asking(session, undefined)((scenes) => scenes.read(this.#places.refOf(loaded)));
    closePictures([view.picture]);
    return view.results;
  }

  /** Whether what the first stage wrote is lost, since that has moved to another worker. */
  async moved(signal: Signal): Promise<boolean> {
    const place = this.#place;
    await place?.session.ready(signal);
    if (this.#released) return false;
    return place === null || place.session.loaded !== place.loaded;
  }

  /** Frees what the workers hold, after the calls that have reached them, and the picture. No stage runs on it after. */
  async release(): Promise<void> {
    this.#released = true;
    // A run that was aborted does not wait for the look that it asked for.
    await this.#looking?.catch(() => {});
    await this.#places.release();
    this.#place = null;
    closePictures(this.#look.pictures);
  }

  async #lookOnce(signal: Signal): Promise<LookReport> {
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
      const on = (rival: LoadedModel) => this.#lookIn(rival);
      this.#first.heard({ variant, place, form, scene: this, on }, report.timings.total);
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
    const work: Work<Result["timings"]> = async (session, id) => {
      const there = await this.#broughtTo(session, place, signal);
      const ref = this.#places.refOf(there);
      const kept = keptOutputs(this.#stages, stage, session.loaded);
      const ask = asking(session, signal);
      const { timings, warnings } = await ask((scenes) => scenes.advance(id, ref, kept));
      stage.session.warn(warnings);
      const run = { variant, place: session.loaded, form: formOf("advance", this.#size, {}) };
      const again: Ask = (scenes, to) => scenes.advance(-1, to, { ...kept, onGpu: [] });
      stage.heard(laterRun(run, this, again, 2), timings.total);
      this.#places.changed(there);
      if (there === place.loaded) return timings;
      await this.#places.copy(there, ask, place.loaded, asking(place.session, signal));
      return timings;
    };
    const { answer } = await stage.turns.run(variant, { turn: null, signal }, work, () => false);
    return answer;
  }

  /** Returns where the scene lies in the session's worker. */
  async #broughtTo(session: ResilientSession, place: Place, signal: Signal): Promise<LoadedModel> {
    const { loaded } = session;
    const known = this.#places.find(place.loaded, loaded);
    const read = asking(place.session, signal);
    return known ?? this.#places.copy(place.loaded, read, loaded, asking(session, signal));
  }

  /** Runs the first stage in a worker that nobody waits for, and sees how long its outputs take to another; null where the picture is closed. */
  async #lookIn(rival: LoadedModel): Promise<Crossing | null> {
    const { number, pictures, options } = this.#look;
    const { names } = keptOutputs(this.#stages, this.#first, rival);
    const run = () =>
      timed(rival, (scenes) => scenes.look(-1, number, pictures, options, { names, onGpu: [] }));
    try {
      if (this.#released) return null;
      await run();
      const start = performance.now();
      await this.#places.copy(rival, aside(rival), rival, aside(rival));
      return { run, crossing: performance.now() - start };
    } catch (error) {
      if (this.#released) return null;
      throw error;
    }
  }

  async #ensure(signal: Signal): Promise<Place> {
    for (;;) {
      const isLost = await this.moved(signal);
      if (this.#released) throw internalError("a run on a scene that was released");
      if (!isLost && this.#looking === null && this.#place !== null) return this.#place;
      // Whoever asks meanwhile waits for the same run, which none of their signals drops.
      this.#looking ??= this.look(undefined).finally(() => {
        this.#looking = null;
      });
      await rejectOnAbort(this.#looking, signal);
    }
  }
}

/** Asks a worker in calls that are none of the model's. */
function aside({ connection }: LoadedModel): AskScenes {
  return (call) => connection.call(({ scenes }) => call(scenes));
}

/** Asks a worker once: who asked tries again where the session moves. */
function asking(session: ResilientSession, signal: Signal): AskScenes {
  return (call) =>
    session.call(
      ({ scenes }) => call(scenes),
      () => null,
      signal,
    );
}
