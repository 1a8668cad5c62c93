// The second picture of a model that takes two: a file that the visitor chooses; by default the first picture.

import type { RunOptions } from "../../src/index.js";
import type { StagePicture } from "../drawing/stage.js";
import { element } from "../util/elements.js";
import { decodePicture } from "./picture.js";

export class ReferenceChoice {
  readonly #file = element("reference-file", HTMLInputElement);
  readonly #name = element("reference-name", HTMLElement);
  readonly #changed: () => void;
  #chosen: Blob | null = null;

  constructor(changed: () => void) {
    this.#changed = changed;
    this.#file.addEventListener("change", () => void this.#take());
  }

  /** The option of a run. */
  option(shown: StagePicture): RunOptions {
    return { reference: this.#chosen ?? shown.picture };
  }

  async #take(): Promise<void> {
    const [blob] = this.#file.files ?? [];
    this.#file.value = "";
    if (blob === undefined) return;
    try {
      this.#chosen = (await decodePicture({ blob, title: blob.name })).blob;
    } catch {
      this.#name.textContent = `This file could not be read as a picture: ${blob.name}.`;
      return;
    }
    this.#name.textContent = blob.name;
    this.#changed();
  }
}
