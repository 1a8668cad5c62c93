// Shows the result of a classifier: the best classes as bars, the timings, the warnings.

import type { Model, Result } from "../../src/index.js";
import type { PictureLegend } from "../drawing/picture-legend.js";
import type { ResultDrawing } from "../drawing/result-drawing.js";
import type { ThresholdSliders } from "../input/threshold-sliders.js";
import { BestClasses, bestClasses } from "../results/best-classes.js";
import { wrongTaskError } from "../shell/failure-card.js";
import { percent } from "../util/format.js";
import { BaseView } from "./base-view.js";
import type { ViewModule } from "./task-view.js";

class ClassifyView extends BaseView {
  readonly #classes = new BestClasses("best", "rows");

  showResult(result: Result, _model: Model, _thresholds: ThresholdSliders, updateText = true): void {
    if (result.kind !== "classify") throw wrongTaskError();
    const [best] = result.classes;
    if (best) this.stage.describe(`${this.title}: ${best.label}, ${percent(best.score)}`);
    this.showRun(result, updateText);
    if (updateText) this.#classes.show(result.classes);
  }

  protected override legend(): PictureLegend {
    return { rows: this.#classes.rows() };
  }

  protected override showEmpty(reason: string): void {
    this.#classes.showNone(reason);
  }

  clear(): void {
    this.stage.describe(this.title);
  }
}

export const drawing: ResultDrawing = {
  kind: "classify",
  async draw(stage, result, _model, title) {
    if (result.kind !== "classify") return null;
    const best = bestClasses(result.classes);
    const words = best.map(({ label, score }) => `${label} ${percent(score)}`).join(", ");
    stage.describe(`${title}: ${words}`);
    return words;
  },
};
export const view: ViewModule = { kind: "classify", create: () => new ClassifyView() };
