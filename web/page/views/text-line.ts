// Shows the text that was recognized in a picture of one line, and its words with their scores.

import type { Model, Result, TextWord } from "../../src/index.js";
import type { PictureLegend } from "../drawing/picture-legend.js";
import type { ResultDrawing } from "../drawing/result-drawing.js";
import type { ThresholdSliders } from "../input/threshold-sliders.js";
import { wrongTaskError } from "../shell/failure-card.js";
import { element, make } from "../util/elements.js";
import { percent } from "../util/format.js";
import { BaseView } from "./base-view.js";
import type { ViewModule } from "./task-view.js";

class TextLineView extends BaseView {
  readonly #list = element("rows", HTMLElement);
  readonly #text = element("text", HTMLElement);
  #shown = "";

  showResult(result: Result, _model: Model, _thresholds: ThresholdSliders, updateText = true): void {
    if (result.kind !== "text-line") throw wrongTaskError();
    this.stage.describe(`${this.title}: ${result.text}`);
    this.showRun(result, updateText);
    if (!updateText) return;
    this.#shown = `${result.text || "no text"}, ${percent(result.score)}`;
    this.#text.textContent = result.text || "No text";
    this.#list.replaceChildren(...result.words.map(row));
  }

  protected override legend(): PictureLegend {
    return { rows: [{ label: this.#shown, value: "" }] };
  }

  protected override showEmpty(reason: string): void {
    this.#text.textContent = reason;
    this.#list.replaceChildren();
  }

  clear(): void {
    this.stage.describe(this.title);
  }
}

function row({ text, score }: TextWord): HTMLElement {
  const item = make("li", "class-bar");
  item.append(make("span", "class-name", text), make("span", "number class-score", percent(score)));
  return item;
}

export const drawing: ResultDrawing = {
  kind: "text-line",
  async draw(stage, result, _model, title) {
    if (result.kind !== "text-line") return null;
    stage.describe(`${title}: ${result.text}`);
    return result.text;
  },
};
export const view: ViewModule = { kind: "text-line", create: () => new TextLineView() };
