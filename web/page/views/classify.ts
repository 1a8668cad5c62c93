// Shows what a model of classes makes of a picture: the best classes as bars, the times, the warnings.

import type { ClassScore, Model, Result } from "../../src/index.js";
import type { PictureLegend } from "../drawing/picture-legend.js";
import type { ResultDrawing } from "../drawing/result-drawing.js";
import type { ThresholdSliders } from "../input/threshold-sliders.js";
import { classBar } from "../results/class-bar.js";
import { wrongTaskError } from "../shell/failure-card.js";
import { element } from "../util/elements.js";
import { percent } from "../util/format.js";
import { BaseView } from "./base-view.js";
import type { ViewModule } from "./task-view.js";

const shown = 5;

class ClassifyView extends BaseView {
  readonly #list = element("rows", HTMLElement);
  #shown: readonly ClassScore[] = [];
  readonly #best = element("best", HTMLElement);

  showResult(result: Result, _model: Model, _thresholds: ThresholdSliders, due = true): void {
    if (result.kind !== "classify") throw wrongTaskError();
    const [best] = result.classes;
    if (best) this.stage.describe(`${this.title}: ${best.label}, ${percent(best.score)}`);
    this.showRun(result, due);
    if (!due) return;
    this.#shown = result.classes.slice(0, shown);
    this.#best.textContent = best?.label ?? "";
    this.#list.replaceChildren(
      ...this.#shown.map(({ label, score }) => classBar(label, percent(score), score)),
    );
  }

  protected override legend(): PictureLegend {
    return { rows: this.#shown.map(({ label, score }) => ({ label, value: percent(score) })) };
  }

  protected override empty(reason: string): void {
    this.#best.textContent = reason;
    this.#list.replaceChildren();
  }

  clear(): void {
    this.stage.describe(this.title);
  }
}

export const drawing: ResultDrawing = {
  kind: "classify",
  async draw(stage, result, _model, title) {
    if (result.kind !== "classify") return null;
    const best = result.classes.slice(0, shown);
    const words = best.map(({ label, score }) => `${label} ${percent(score)}`).join(", ");
    stage.describe(`${title}: ${words}`);
    return words;
  },
};
export const view: ViewModule = { kind: "classify", create: () => new ClassifyView() };
