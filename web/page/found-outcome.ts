// Shows what a model of detections found: on the stage, in the list, as times and as warnings.

import type { Model, Result } from "../src/index.js";
import { BaseOutcome } from "./base-outcome.js";
import { element } from "./elements.js";
import { disagreement } from "./failure.js";
import { noun, threshold } from "./format.js";
import { foundIn, isFinding, taskOf } from "./found.js";
import { linesOf } from "./found-lines.js";
import { Results } from "./results.js";
import type { ThresholdSliders } from "./thresholds.js";

export class FoundOutcome extends BaseOutcome {
  readonly #results = new Results((index) => this.light(index));
  readonly #nobody = element("nobody", HTMLElement);
  /** What to try where nothing was found. */
  protected readonly other: string = "another picture";

  async showResult(result: Result, model: Model, thresholds: ThresholdSliders, due = true): Promise<void> {
    const task = isFinding(result) ? taskOf(result, model) : null;
    if (!isFinding(result) || task === null) throw disagreement();
    const found = foundIn(result);
    const count = `${found.length} ${noun(task.classes, found.length)}`;
    const shown = this.stage.showFound(found, task, `${this.title}: ${count} found`);
    this.#showNobody(found.length === 0, task.classes, thresholds.shown("confidence"));
    this.showRun(result, due);
    if (due) this.#results.show(linesOf(found, task), noun(task.classes, found.length));
    await shown;
  }

  protected override empty(why: string): void {
    this.#results.showNone(why);
  }

  clear(): void {
    this.#nobody.hidden = true;
    this.stage.clearFound();
  }

  #showNobody(nobody: boolean, classes: readonly string[], confidence: number | null): void {
    this.#nobody.hidden = !nobody;
    if (!nobody) return;
    const who = classes.length === 1 && classes[0] === "person" ? "Nobody" : "Nothing";
    const lower = confidence !== null && confidence > 0.1;
    const mend = lower ? `Lower the confidence, now ${threshold(confidence)}, or try` : "Try";
    this.#nobody.textContent = `${who} found. ${mend} ${this.other}.`;
  }

  protected override light(index: number | null): void {
    const lit = index ?? this.#results.pinned;
    this.stage.light(lit);
    this.#results.light(lit);
  }
}
