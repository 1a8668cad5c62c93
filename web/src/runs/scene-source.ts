// The data behind a Scene: its picture, and the earlier stages' outputs in a worker. If the worker is lost,
// these stages run again.

import { internalError } from "../api/errors.js";
import type { GlueContext, PictureSize, RunOptions } from "../api/types.js";
import type { LoadedModel } from "../fallback/loaded-model.js";
import type { ResilientSession } from "../fallback/resilient-session.js";
import { closePictures } from "../preprocess/pixels.js";
import type { SceneRef } from "../stages/scene-store.js";
import type { LookReport } from "../worker/look.js";
import { rejectOnAbort } from "../worker/reject-on-abort.js";
import { EarlierStages, type Look, type StageLocation } from "./earlier-stages.js";
import type { ModelStage } from "./model-stage.js";
import { connectionCaller, SceneCopies, sessionCaller } from "./scene-copies.js";

type Signal = RunOptions["signal"];

export class SceneSource {
  readonly #look: Look;
  readonly #copies: SceneCopies;
  readonly #earlier: EarlierStages;
  /** The current run of the earlier stages. All callers wait for the same one. */
  #looking: Promise<LookReport> | null = null;
  #released = false;

  constructor(stages: readonly [ModelStage, ...ModelStage[]], look: Look) {
    this.#look = look;
    this.#copies = new SceneCopies(look.number);
    this.#earlier = new EarlierStages(stages, look, this.#copies, this);
  }

  get size(): PictureSize | null {
    return this.#earlier.size;
  }

  get isReleased(): boolean {
    return this.#released;
  }

  /** Runs all stages but the last. */
  look(signal: Signal): Promise<LookReport> {
    return this.#earlier.run(signal);
  }

  /** Returns the reference of the scene in the session's worker, after copying it there if needed. */
  async refFor(session: ResilientSession, signal: Signal): Promise<SceneRef> {
    const once = async (): Promise<SceneRef> =>
      this.#copies.refOf(
        await this.#earlier.copyToWorkerOf(session, await this.#ensureOutputs(signal), signal),
      );
    return once().catch(async (error: unknown) => {
      if (!(await this.isLost(signal))) throw error;
      return once();
    });
  }

  /**
   * Copies the scene to another backend, to compare the two. Returns the milliseconds it took, null if the
   * scene is lost.
   */
  async copyTo(elsewhere: LoadedModel): Promise<{ ref: SceneRef; transferTime: number } | null> {
    const { location } = this.#earlier;
    if (location === null || this.#released || location.session.loaded !== location.loaded) return null;
    const start = performance.now();
    try {
      await this.#copies.copy(
        location.loaded,
        connectionCaller(location.loaded),
        elsewhere,
        connectionCaller(elsewhere),
      );
      return { ref: this.#copies.refOf(elsewhere), transferTime: performance.now() - start };
    } catch (error) {
      if (this.#released) return null;
      throw error;
    }
  }

  /** Returns the results of all stages but the last, by stage name. */
  async results(): Promise<GlueContext["results"]> {
    const { session, loaded } = await this.#ensureOutputs(undefined);
    const { view } = await sessionCaller(
      session,
      undefined,
    )((scenes) => scenes.read(this.#copies.refOf(loaded)));
    closePictures([view.picture]);
    return Object.fromEntries(view.results);
  }

  /** Whether the first stage's outputs are lost: it has not run, or was loaded again since. */
  async isLost(signal: Signal): Promise<boolean> {
    const { location } = this.#earlier;
    await location?.session.ready(signal);
    if (this.#released) return false;
    return location === null || location.session.loaded !== location.loaded;
  }

  /** Releases the scene in all workers, and its picture. No stage runs on it afterwards. */
  async release(): Promise<void> {
    this.#released = true;
    // An aborted run may have left a run of the earlier stages behind.
    await this.#looking?.catch(() => {});
    await this.#copies.release();
    closePictures(this.#look.pictures);
  }

  async #ensureOutputs(signal: Signal): Promise<StageLocation> {
    for (;;) {
      const isLost = await this.isLost(signal);
      if (this.#released) throw internalError("a run on a released scene");
      const { location } = this.#earlier;
      if (!isLost && this.#looking === null && location !== null) return location;
      // Later callers wait for the same run, so the signal of one of them does not abort it.
      this.#looking ??= this.look(undefined).finally(() => {
        this.#looking = null;
      });
      await rejectOnAbort(this.#looking, signal);
    }
  }
}
