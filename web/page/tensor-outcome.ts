// Shows what a model of plain tensors makes of a picture: what its outputs hold, the times, the warnings.

import type { Model, Result, Warning } from "../src/index.js";
import { element } from "./elements.js";
import { disagreement } from "./failure.js";
import type { Outcome } from "./outcome.js";
import { type Shown, Stage } from "./stage.js";
import { showStatistics } from "./statistics-table.js";
import type { ThresholdSliders } from "./thresholds.js";
import { clearTimings, showTimings } from "./timings.js";
import { showWarnings } from "./warnings.js";

export class TensorOutcome implements Outcome {
  readonly #stage = new Stage(() => {});
  #title = "";
  #loading: readonly Warning[] = [];

  setModel(model: Model | null, _why: string): void {
    this.#loading = model?.warnings ?? [];
    showWarnings(this.#loading);
    if (model === null) this.showNone();
  }

  showPicture(picture: Shown, title: string): void {
    this.#title = title;
    element("hint", HTMLElement).hidden = true;
    this.#stage.showPicture(picture);
    this.#stage.describe(title);
  }

  async showResult(result: Result, _model: Model, _thresholds: ThresholdSliders, due = true): Promise<void> {
    if (result.kind !== "tensor") throw disagreement();
    showWarnings([...this.#loading, ...result.warnings]);
    if (!due) return;
    await showStatistics(result.outputs, null);
    showTimings(result.timings);
  }

  showNone(): void {
    element("statistics", HTMLElement).hidden = true;
    clearTimings();
  }

  clear(): void {
    this.#stage.describe(this.#title);
  }

  /** There is no live region among the numbers. */
  setQuiet(): void {}
}
