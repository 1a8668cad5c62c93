// Shows what a model of plain tensors makes of a picture: what its outputs hold, the times, the warnings.

import type { Model, Result } from "../src/index.js";
import { BaseOutcome } from "./base-outcome.js";
import { element } from "./elements.js";
import { disagreement } from "./failure.js";
import type { Shown } from "./stage.js";
import { showStatistics } from "./statistics-table.js";
import type { ThresholdSliders } from "./thresholds.js";

export class TensorOutcome extends BaseOutcome {
  override showPicture(shown: Shown, title: string): void {
    super.showPicture(shown, title);
    this.stage.describe(title);
  }

  async showResult(result: Result, _model: Model, _thresholds: ThresholdSliders, due = true): Promise<void> {
    if (result.kind !== "tensor") throw disagreement();
    this.showRun(result, due);
    if (due) await showStatistics(result.outputs, null);
  }

  protected override empty(): void {
    element("statistics", HTMLElement).hidden = true;
  }

  clear(): void {
    this.stage.describe(this.title);
  }

  /** There is no live region among the numbers. */
  override setQuiet(): void {}
}
