// Shows what a model of plain tensors makes of a picture: what its outputs hold, the times, the warnings.

import type { Model, Result } from "../../src/index.js";
import type { StagePicture } from "../drawing/stage.js";
import type { ThresholdSliders } from "../input/threshold-sliders.js";
import { showStatistics } from "../results/statistics-table.js";
import { wrongTaskError } from "../shell/failure-card.js";
import { element } from "../util/elements.js";
import { BaseView } from "./base-view.js";
import type { ViewModule } from "./task-view.js";

class TensorView extends BaseView {
  override showPicture(shown: StagePicture, title: string): void {
    super.showPicture(shown, title);
    this.stage.describe(title);
  }

  async showResult(result: Result, _model: Model, _thresholds: ThresholdSliders, due = true): Promise<void> {
    if (result.kind !== "tensor") throw wrongTaskError();
    this.showRun(result, due);
    if (due) await showStatistics(result.outputs, null);
  }

  protected override empty(): void {
    element("statistics", HTMLElement).hidden = true;
  }

  clear(): void {
    this.stage.describe(this.title);
  }

  /** Nothing to silence: no ARIA live region reads these numbers out. */
  override setQuiet(): void {}
}

export const view: ViewModule = { kind: "tensor", create: () => new TensorView() };
