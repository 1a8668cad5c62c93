// What every outcome shows besides its task's own: the picture, the warnings of loading and of the run, the times.

import type { Model, Result, Warning } from "../src/index.js";
import { element } from "./elements.js";
import type { Outcome } from "./outcome.js";
import type { Picture } from "./picture.js";
import { type Place, type Shown, Stage } from "./stage.js";
import type { ThresholdSliders } from "./thresholds.js";
import { clearTimings, showTimings } from "./timings.js";
import { showWarnings } from "./warnings.js";

export abstract class BaseOutcome implements Outcome {
  protected readonly stage = new Stage(
    (index) => this.light(index),
    (place) => this.point(place),
  );
  protected title = "";
  /** The model's list grows with the warnings of every run. */
  #loading: readonly Warning[] = [];

  abstract showResult(
    result: Result,
    model: Model,
    thresholds: ThresholdSliders,
    due?: boolean,
  ): void | Promise<void>;

  /** Empties what the task shows of its own, and says `why`. */
  protected abstract empty(why: string): void;

  abstract clear(): void;

  /** The pointer is on a detection, or on none. */
  protected light(_index: number | null): void {}

  /** The pointer is at a place of the picture, or has left it. */
  protected point(_place: Place | null): void {}

  setModel(model: Model | null, why: string): void {
    this.#loading = model?.warnings ?? [];
    showWarnings(this.#loading);
    if (model === null) this.showNone(why);
  }

  showPicture(shown: Shown, title: string, _picture?: Picture): void {
    this.title = title;
    element("hint", HTMLElement).hidden = true;
    this.stage.showPicture(shown);
  }

  showNone(why: string): void {
    this.clear();
    this.empty(why);
    clearTimings();
  }

  setQuiet(quiet: boolean): void {
    element("count", HTMLElement).setAttribute("aria-live", quiet ? "off" : "polite");
  }

  /** Shows what every result says; the times only when they are `due`. */
  protected showRun({ warnings, timings }: Result, due: boolean): void {
    showWarnings([...this.#loading, ...warnings]);
    if (due) showTimings(timings);
  }
}
