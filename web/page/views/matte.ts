// Shows what is in front, cut out, over a checkerboard.

import type { Model, Result } from "../../src/index.js";
import type { ResultDrawing } from "../drawing/result-drawing.js";
import type { ThresholdSliders } from "../input/threshold-sliders.js";
import { wrongTaskError } from "../shell/failure-card.js";
import { element } from "../util/elements.js";
import { BaseView } from "./base-view.js";
import type { ViewModule } from "./task-view.js";

class MatteView extends BaseView {
  readonly #words = element("matte-words", HTMLElement);

  showResult(result: Result, _model: Model, _thresholds: ThresholdSliders, due = true): void {
    if (result.kind !== "matte") throw wrongTaskError();
    this.showRun(result, due);
    if (due) {
      const words = shareInFront(result.alpha);
      this.#words.textContent = words;
      this.stage.describe(`${this.title}: ${words}`);
    }
    this.stage.showMap(result.cutout);
  }

  protected override empty(reason: string): void {
    this.#words.textContent = reason;
  }

  clear(): void {
    this.stage.showMap(null);
  }
}

function shareInFront(alpha: Uint8Array): string {
  const share = alpha.reduce((sum, level) => sum + level, 0) / (255 * Math.max(1, alpha.length));
  return `${Math.round(share * 100)} % in front`;
}

export const drawing: ResultDrawing = {
  kind: "matte",
  async draw(stage, result, _model, title) {
    if (result.kind !== "matte") return null;
    const words = shareInFront(result.alpha);
    stage.describe(`${title}: ${words}`);
    stage.showMap(result.cutout);
    return words;
  },
};
export const view: ViewModule = { kind: "matte", create: () => new MatteView() };
