// What a scene is made of: the picture that was looked at, and where the first stage's outputs lie now. Where these are
// lost with a worker, the first stage runs again.

import { internalError } from "../api/errors.js";
import type { PictureSize, Result, RunOptions } from "../api/types.js";
import type { Crossing } from "../choice/visitor-runs.js";
import type { LoadedModel } from "../fallback/fallback-chain.js";
import { type ResilientSession, rejectOnAbort, type WorkerCall } from "../fallback/recovery.js";
import type { Manifest } from "../manifest/manifest.js";
import { joinedOutputs, stageInputs } from "../manifest/stages.js";
import { blamingOrigin } from "../preprocess/image-source.js";
import { closePictures, type Picture } from "../preprocess/pixels.js";
import type { SavedScene, SceneRef } from "../stages/scene-store.js";
import type { SceneView } from "../stages/scene-view.js";
import type { RemoteHost } from "../worker/connection.js";
import type { LookReport } from "../worker/look.js";
import type { WorkerRunOptions } from "../worker/worker-host.js";
import { type Ask, formOf, laterRun, timed } from "./asked-again.js";
import type { ModelStage } from "./model-stage.js";
import type { Work } from "./run-turns.js";
import { addTimings } from "./stage-runs.js";

type Signal = RunOptions["signal"];

type SceneCall<T> = (scenes: RemoteHost["scenes"]) => Promise<T>;

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
  /** Where there are whole copies of it, in other workers. */
  readonly #copies = new Set<LoadedModel>();
  /** Every place that may hold something of it. */
  readonly #places = new Set<LoadedModel>();
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
    const once = async (): Promise<SceneRef> => this.#broughtTo(session, await this.#ensure(signal), signal);
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
      const read = (call: SceneCall<SavedScene>) => askedAside(place.loaded, call);
      await this.#copy(read, rival, (call) => askedAside(rival, call));
    } catch (error) {
      if (this.#released) return null;
      throw error;
    }
    return { ref: this.#refOf(rival), crossing: performance.now() - start };
  }

  /** Returns the results of all stages but the last, by their names. */
  async results(): Promise<SceneView["results"]> {
    const { session } = await this.#ensure(undefined);
    const { view } = await asked(session, (scenes) => scenes.read(this.#look.number), undefined);
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
    const { number, pictures } = this.#look;
    this.#released = true;
    // A run that was aborted does not wait for the look that it asked for.
    await this.#looking?.catch(() => {});
    const released = [...this.#places].map(({ connection }) =>
      connection.call((host) => host.scenes.release(number)).catch(() => {}),
    );
    await Promise.all(released);
    this.#place = null;
    closePictures(pictures);
  }

  async #lookOnce(signal: Signal): Promise<LookReport> {
    const { number, variant, pictures, options } = this.#look;
    const work: Work<LookReport> = async (session, id) => {
      const call: WorkerCall<LookReport> = (host) => {
        this.#places.add(session.loaded);
        const kept = this.#kept(this.#first, session.loaded);
        return host.scenes.look(id, number, pictures, options, kept).catch(blamingOrigin);
      };
      const report = await session.call(call, () => call, signal);
      const { loaded: place } = session;
      this.#place = { session, loaded: place };
      this.#copies.clear();
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
    const { number } = this.#look;
    const place = this.#place;
    if (place === null) throw internalError("a stage before the first");
    const [variant = stage.manifest] = stage.sessions.variants;
    const work: Work<Result["timings"]> = async (session, id) => {
      const ref = await this.#broughtTo(session, place, signal);
      const kept = this.#kept(stage, session.loaded);
      const { timings, warnings } = await asked(session, (scenes) => scenes.advance(id, ref, kept), signal);
      stage.session.warn(warnings);
      const run = { variant, place: session.loaded, form: formOf("advance", this.#size, {}) };
      const ask: Ask = (scenes, to) => scenes.advance(-1, to, { ...kept, onGpu: [] });
      stage.heard(laterRun(run, this, ask, 2), timings.total);
      this.#copies.clear();
      if (session.loaded.connection.sharesWorker(place.loaded.connection)) return timings;
      const saved = await asked(session, (scenes) => scenes.read(number), signal);
      await asked(place.session, (scenes) => scenes.keep(number, saved), signal);
      this.#copies.add(session.loaded);
      return timings;
    };
    const { answer } = await stage.turns.run(variant, { turn: null, signal }, work, () => false);
    return answer;
  }

  async #broughtTo(session: ResilientSession, place: Place, signal: Signal): Promise<SceneRef> {
    const { loaded } = session;
    const there = [place.loaded, ...this.#copies].find(
      ({ connection }) => !connection.ended && connection.sharesWorker(loaded.connection),
    );
    if (there !== undefined) return this.#refOf(there);
    const read = (call: SceneCall<SavedScene>) => asked(place.session, call, signal);
    await this.#copy(read, loaded, (call) => asked(session, call, signal));
    return this.#refOf(loaded);
  }

  /** Copies the scene to another worker; `read` and `write` ask the worker where it is, and the other. */
  async #copy(
    read: (call: SceneCall<SavedScene>) => Promise<SavedScene>,
    to: LoadedModel,
    write: (call: SceneCall<void>) => Promise<void>,
  ): Promise<void> {
    const { number } = this.#look;
    const saved = await read((scenes) => scenes.read(number));
    try {
      this.#places.add(to);
      await write((scenes) => scenes.keep(number, saved));
      this.#copies.add(to);
    } finally {
      closePictures([saved.view.picture]);
    }
  }

  /** Runs the first stage in a worker that nobody waits for, and sees how long its outputs take to another; null where the picture is closed. */
  async #lookIn(rival: LoadedModel): Promise<Crossing | null> {
    const { number, pictures, options } = this.#look;
    const { names } = this.#kept(this.#first, rival);
    const run = () =>
      timed(rival, (scenes) => scenes.look(-1, number, pictures, options, { names, onGpu: [] }));
    try {
      if (this.#released) return null;
      await run();
      const start = performance.now();
      await this.#copy(
        (call) => askedAside(rival, call),
        rival,
        (call) => askedAside(rival, call),
      );
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

  #refOf({ host }: LoadedModel): SceneRef {
    return { host, scene: this.#look.number };
  }

  /** What later stages take of one; it stays on the GPU where one of them runs there too. */
  #kept(stage: ModelStage, { connection, candidate }: LoadedModel): { names: string[]; onGpu: string[] } {
    const manifests = this.#stages.map(({ manifest }) => manifest);
    const names = joinedOutputs(manifests, stage.name);
    const takers = this.#stages.filter(({ manifest }) =>
      stageInputs(manifest).some((input) => input.stage === stage.name),
    );
    const beside = takers.some(({ session: { loaded } }) => {
      return loaded.candidate.backend === "webgpu" && loaded.connection.sharesWorker(connection);
    });
    return { names, onGpu: beside && candidate.backend === "webgpu" ? names : [] };
  }
}

/** Asks a worker in a call that is none of the model's. */
function askedAside<T>({ connection }: LoadedModel, call: SceneCall<T>): Promise<T> {
  return connection.call(({ scenes }) => call(scenes));
}

/** Asks a worker once: who asked tries again where the session moves. */
function asked<T>(session: ResilientSession, call: SceneCall<T>, signal: Signal): Promise<T> {
  return session.call(
    ({ scenes }) => call(scenes),
    () => null,
    signal,
  );
}
