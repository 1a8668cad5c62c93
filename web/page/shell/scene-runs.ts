// Runs on the scene of the page's picture: for each prompt, for a preview while the page is idle, and for everything in it.

import type {
  EverythingOptions,
  EverythingResult,
  Model,
  Result,
  RunOptions,
  Scene,
} from "../../src/index.js";
import type { Picture } from "../input/picture.js";
import { SceneCache } from "../input/scene-cache.js";

/** What the page shows now. */
export interface PictureAndModel {
  picture: Picture;
  model: Model;
}

export class SceneRuns {
  readonly #cache = new SceneCache();
  readonly #now: () => PictureAndModel | null;

  /** `now` returns null without a picture or a model, and while the camera is on. */
  constructor(now: () => PictureAndModel | null) {
    this.#now = now;
  }

  /** Whether the first stage is running or queued. */
  get isLooking(): boolean {
    return this.#cache.isLooking;
  }

  run(model: Model, blob: Blob, options: RunOptions): Promise<Result> {
    return this.#cache.run(model, blob, options);
  }

  /** Runs the last stage. Returns null if that fails, or if the picture changes. */
  async runIdle(options: RunOptions): Promise<Result | null> {
    const asked = this.#now();
    if (asked === null) return null;
    const result = await this.run(asked.model, asked.picture.blob, options).catch(() => null);
    return this.#isShown(asked) ? result : null;
  }

  /** `looking` is called while this waits for the first stage. */
  async everything(
    options: EverythingOptions,
    looking: (on: boolean) => void,
  ): Promise<EverythingResult | null> {
    const asked = this.#now();
    if (asked === null) return null;
    const look: Promise<Scene> = this.#cache.of(asked.model, asked.picture.blob);
    const waits = this.isLooking;
    if (waits) looking(true);
    const scene = await look;
    if (!this.#isShown(asked)) return null;
    if (waits) looking(false);
    const found = await scene.everything(options);
    return this.#isShown(asked) ? found : null;
  }

  release(): void {
    this.#cache.release();
  }

  #isShown({ picture }: PictureAndModel): boolean {
    return this.#now()?.picture === picture;
  }
}
