// What a scene is made of: the picture that was looked at, and where the first stage's outputs lie now. Where these are
// lost with a worker, the first stage runs again.

import { internalError } from "../api/errors.js";
import type { GlueContext, PictureSize, RunOptions } from "../api/types.js";
import type { LoadedModel } from "../fallback/fallback-chain.js";
import type { ResilientSession } from "../fallback/resilient-session.js";
import { closePictures } from "../preprocess/pixels.js";
import type { SceneRef } from "../stages/scene-store.js";
import type { LookReport } from "../worker/look.js";
import { rejectOnAbort } from "../worker/reject-on-abort.js";
import { EarlierStages, type Look, type Place } from "./earlier-stages.js";
import type { ModelStage } from "./model-stage.js";
import { aside, asking, ScenePlaces } from "./scene-places.js";

type Signal = RunOptions["signal"];

export class SceneSource {
  readonly #look: Look;
  readonly #places: ScenePlaces;
  readonly #earlier: EarlierStages;
  /** One at a time, whoever asks. */
  #looking: Promise<LookReport> | null = null;
  #released = false;

  constructor(stages: readonly [ModelStage, ...ModelStage[]], look: Look) {
    this.#look = look;
    this.#places = new ScenePlaces(look.number);
    this.#earlier = new EarlierStages(stages, look, this.#places, this);
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

  /** Returns the scene as the session's worker knows it: copied there where the first stage runs in another. */
  async refIn(session: ResilientSession, signal: Signal): Promise<SceneRef> {
    const once = async (): Promise<SceneRef> =>
      this.#places.refOf(await this.#earlier.broughtTo(session, await this.#ensure(signal), signal));
    return once().catch(async (error: unknown) => {
      if (!(await this.moved(signal))) throw error;
      return once();
    });
  }

  /**
   * Copies the scene to where nobody waits for it, and says how many milliseconds that took; null where it is not here to
   * be copied. It is no call of the model's.
   */
  async copyTo(elsewhere: LoadedModel): Promise<{ ref: SceneRef; transferTime: number } | null> {
    const { place } = this.#earlier;
    if (place === null || this.#released || place.session.loaded !== place.loaded) return null;
    const start = performance.now();
    try {
      await this.#places.copy(place.loaded, aside(place.loaded), elsewhere, aside(elsewhere));
      return { ref: this.#places.refOf(elsewhere), transferTime: performance.now() - start };
    } catch (error) {
      if (this.#released) return null;
      throw error;
    }
  }

  /** Returns the results of all stages but the last, by their names. */
  async results(): Promise<GlueContext["results"]> {
    const { session, loaded } = await this.#ensure(undefined);
    const { view } = await asking(session, undefined)((scenes) => scenes.read(this.#places.refOf(loaded)));
    closePictures([view.picture]);
    return Object.fromEntries(view.results);
  }

  /** Whether what the first stage wrote is lost, since that has moved to another worker. */
  async moved(signal: Signal): Promise<boolean> {
    const { place } = this.#earlier;
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
    closePictures(this.#look.pictures);
  }

  async #ensure(signal: Signal): Promise<Place> {
    for (;;) {
      const isLost = await this.moved(signal);
      if (this.#released) throw internalError("a run on a scene that was released");
      const { place } = this.#earlier;
      if (!isLost && this.#looking === null && place !== null) return place;
      // Whoever asks meanwhile waits for the same run, which none of their signals drops.
      this.#looking ??= this.look(undefined).finally(() => {
        this.#looking = null;
      });
      await rejectOnAbort(this.#looking, signal);
    }
  }
}
