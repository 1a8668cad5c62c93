// Shows the picture that the model made, and the one that it was made of.

import type { ImageResult, Model, Result } from "../../src/index.js";
import type { ResultDrawing } from "../drawing/result-drawing.js";
import type { ThresholdSliders } from "../input/threshold-sliders.js";
import { wrongTaskError } from "../shell/failure-card.js";
import { element, elements } from "../util/elements.js";
import { BaseView } from "./base-view.js";
import type { ViewModule } from "./task-view.js";

class ImageView extends BaseView {
  readonly #size = element("picture-size", HTMLElement);
  readonly #layers = elements("input[name=layer]", HTMLInputElement);

  constructor() {
    super();
    for (const layer of this.#layers) layer.addEventListener("change", () => this.#layer());
  }

  showResult(result: Result, _model: Model, _thresholds: ThresholdSliders, due = true): void {
    if (result.kind !== "image") throw wrongTaskError();
    this.showRun(result, due);
    if (due) {
      const words = sizeOf(result);
      this.#size.textContent = words;
      this.stage.describe(`${this.title}: ${words}`);
    }
    this.stage.showMap(result.picture);
  }

  protected override empty(reason: string): void {
    this.#size.textContent = reason;
  }

  clear(): void {
    this.stage.showMap(null);
  }

  #layer(): void {
    this.stage.hideMap(this.#layers.find(({ checked }) => checked)?.value === "before");
  }
}

function sizeOf({ picture }: ImageResult): string {
  return `${picture.width} × ${picture.height} pixels`;
}

export const drawing: ResultDrawing = {
  kind: "image",
  async draw(stage, result, _model, title) {
    if (result.kind !== "image") return null;
    const words = sizeOf(result);
    stage.describe(`${title}: ${words}`);
    stage.showMap(result.picture);
    return words;
  },
};
export const view: ViewModule = { kind: "image", create: () => new ImageView() };
