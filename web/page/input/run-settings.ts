// The visitor's settings of a run that are not in the task's view: thresholds, numbers, the size, slices.

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
  /** Null for a model that cannot run in slices. */
  readonly #slices: SliceChoice | null;

  /** `rerun` runs the picture again; `restart` does so without waiting for the current run. */
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

  /** Sets the size of the current picture; null for the camera. */
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

  /** Shows the stop button of a slow run. */
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
