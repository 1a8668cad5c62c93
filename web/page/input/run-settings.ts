// What a visitor chooses for a run besides what the task's view takes: thresholds, numbers, the size, slices.

import type { PartProgress, Result, RunOptions } from "../../src/index.js";
import type { Size } from "../drawing/fit.js";
import { showThresholds } from "../shell/snippet.js";
import { NumberFields } from "./number-fields.js";
import { SizeChoice } from "./size-choice.js";
import { SliceChoice } from "./slice-choice.js";
import { ThresholdSliders } from "./threshold-sliders.js";

export class RunSettings {
  readonly thresholds: ThresholdSliders;
  readonly #numbers: NumberFields;
  readonly #sizes: SizeChoice;
  /** Null of a model that is not run in slices. */
  readonly #slices: SliceChoice | null;

  /** `rerun` runs the picture again; `restart` does so without waiting for the run under way. */
  constructor(rerun: () => void, restart: () => void) {
    const change = (run: () => void) => () => {
      this.#showCode();
      run();
    };
    this.thresholds = new ThresholdSliders(change(rerun));
    this.#numbers = new NumberFields(rerun);
    this.#sizes = new SizeChoice(rerun);
    this.#slices = document.getElementById("slices-card") === null ? null : new SliceChoice(change(restart));
    this.#showCode();
  }

  /** The picture that is run from now on; null for the camera. */
  showPicture(size: Size | null): void {
    this.#slices?.showPicture(size);
    this.#showCode();
  }

  options(): RunOptions {
    return {
      ...this.thresholds.values(),
      ...this.#sizes.option(),
      ...this.#numbers.option(),
      ...this.#slices?.option(),
    };
  }

  link(): Record<string, string | number> {
    return {
      ...this.thresholds.values(),
      ...this.#sizes.link(),
      ...this.#numbers.link(),
      ...this.#slices?.link(),
    };
  }

  /** A run takes long enough to be stopped. */
  showSlow(): void {
    this.#slices?.showSlow();
  }

  showProgress(progress: PartProgress): void {
    this.#slices?.showProgress(progress);
  }

  showEnd(): void {
    this.#slices?.showEnd();
  }

  showResult(result: Result): void {
    this.#sizes.show(result);
  }

  #showCode(): void {
    showThresholds({ ...this.thresholds.values(), ...this.#slices?.option() });
  }
}
