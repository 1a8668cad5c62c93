// Caches the scene of the page's picture, so that the first stage runs once, and only the last stage for each prompt.

import type { Model, Result, RunOptions, RunSource, Scene } from "../../src/index.js";

export class SceneCache {
  #entry: { model: Model; source: RunSource; scene: Promise<Scene> } | null = null;
  #isLooking = false;

  /** Whether the first stage is running or queued. */
  get isLooking(): boolean {
    return this.#isLooking;
  }

  async run(model: Model, source: RunSource, options: RunOptions): Promise<Result> {
    return (await this.of(model, source)).run(options);
  }

  /** Returns the scene of a picture. Runs the first stage if picture or model have changed. */
  async of(model: Model, source: RunSource): Promise<Scene> {
    if (this.#entry?.model !== model || this.#entry.source !== source) {
      this.release();
      this.#entry = { model, source, scene: model.look(source) };
      this.#isLooking = true;
    }
    const entry = this.#entry;
    return entry.scene
      .catch((error: unknown) => {
        if (this.#entry === entry) this.#entry = null;
        throw error;
      })
      .finally(() => {
        if (this.#entry === entry || this.#entry === null) this.#isLooking = false;
      });
  }

  /** Releases the scene. */
  release(): void {
    const entry = this.#entry;
    this.#entry = null;
    void entry?.scene.then((scene) => scene.release()).catch(() => {});
  }
}
