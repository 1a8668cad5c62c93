// Shows what a model of detections found: on the stage, in the list, as times and as warnings.

import type { Model, Result, Warning } from "../src/index.js";
import { element } from "./elements.js";
import { disagreement } from "./failure.js";
import { noun, threshold } from "./format.js";
import { foundIn, isFinding, taskOf } from "./found.js";
import { linesOf } from "./found-lines.js";
import type { Outcome } from "./outcome.js";
import { Results } from "./results.js";
import { type Shown, Stage } from "./stage.js";
import type { ThresholdSliders } from "./thresholds.js";
import { clearTimings, showTimings } from "./timings.js";
import { showWarnings } from "./warnings.js";

export class FoundOutcome implements Outcome {
  readonly #stage = new Stage((index) => this.#light(index ?? this.#results.pinned));
  readonly #results = new Results((index) => this.#light(index));
  readonly #nobody = element("nobody", HTMLElement);
  /** What to try where nothing was found. */
  protected readonly other: string = "another picture";
  #title = "";
  #loading: readonly Warning[] = [];

  /** Keeps the warnings of loading; the model's list grows with those of every run. */
  setModel(model: Model | null, why: string): void {
    this.#loading = model?.warnings ?? [];
    showWarnings(this.#loading);
    if (model === null) this.showNone(why);
  }

  showPicture(shown: Shown, title: string): void {
    this.#title = title;
    element("hint", HTMLElement).hidden = true;
    this.#stage.showPicture(shown);
  }

  async showResult(result: Result, model: Model, thresholds: ThresholdSliders, due = true): Promise<void> {
    const task = isFinding(result) ? taskOf(result, model) : null;
    if (!isFinding(result) || task === null) throw disagreement();
    const found = foundIn(result);
    const count = `${found.length} ${noun(task.classes, found.length)}`;
    const shown = this.#stage.showFound(found, task, `${this.#title}: ${count} found`);
    this.#showNobody(found.length === 0, task.classes, thresholds.shown("confidence"));
    showWarnings([...this.#loading, ...result.warnings]);
    if (due) {
      this.#results.show(linesOf(found, task), noun(task.classes, found.length));
      showTimings(result.timings);
    }
    await shown;
  }

  showNone(why: string): void {
    this.clear();
    this.#results.showNone(why);
    clearTimings();
  }

  clear(): void {
    this.#nobody.hidden = true;
    this.#stage.clearFound();
  }

  setQuiet(quiet: boolean): void {
    element("count", HTMLElement).setAttribute("aria-live", quiet ? "off" : "polite");
  }

  #showNobody(nobody: boolean, classes: readonly string[], confidence: number | null): void {
    this.#nobody.hidden = !nobody;
    if (!nobody) return;
    const who = classes.length === 1 && classes[0] === "person" ? "Nobody" : "Nothing";
    const lower = confidence !== null && confidence > 0.1;
    const mend = lower ? `Lower the confidence, now ${threshold(confidence)}, or try` : "Try";
    this.#nobody.textContent = `${who} found. ${mend} ${this.other}.`;
  }

  #light(index: number | null): void {
    this.#stage.light(index);
    this.#results.light(index);
  }
}
