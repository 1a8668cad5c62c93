// The scene of the picture on the page: the first stage runs once, and the last one runs again for each prompt.

import type { Model, Result, RunOptions, RunSource, Scene } from "../../src/index.js";

export class KeptScene {
  #kept: { model: Model; source: RunSource; scene: Promise<Scene> } | null = null;
  #looking = false;

  /** Whether the first stage runs, or waits for its turn. */
  get looking(): boolean {
    return this.#looking;
  }

  async run(model: Model, source: RunSource, options: RunOptions): Promise<Result> {
    return (await this.of(model, source)).run(options);
  }

  /** Looks at the picture where it is another one, or another model's. */
  async of(model: Model, source: RunSource): Promise<Scene> {
    if (this.#kept?.model !== model || this.#kept.source !== source) {
      this.release();
      this.#kept = { model, source, scene: model.look(source) };
      this.#looking = true;
    }
    const kept = this.#kept;
    return kept.scene
      .catch((error: unknown) => {
        if (this.#kept === kept) this.#kept = null;
        throw error;
      })
      .finally(() => {
        if (this.#kept === kept || this.#kept === null) this.#looking = false;
      });
  }

  /** Frees the scene. That of a model that is gone is gone too. */
  release(): void {
    const kept = this.#kept;
    this.#kept = null;
    void kept?.scene.then((scene) => scene.release()).catch(() => {});
  }
}
