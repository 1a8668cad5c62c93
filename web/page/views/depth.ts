// Shows a depth map: in colours over the picture, with its scale and the value under the pointer.

import type { DepthResult, Model, Result, RunOptions } from "../../src/index.js";
import { depthAt } from "../../src/tasks/depth/depth-at.js";
import { DepthLegend } from "../drawing/depth-legend.js";
import { cellAt, HoverReadout } from "../drawing/hover-readout.js";
import type { PictureLegend } from "../drawing/picture-legend.js";
import type { ResultDrawing } from "../drawing/result-drawing.js";
import type { StagePicture, StagePoint } from "../drawing/stage.js";
import { FocalStack } from "../input/focal-stack.js";
import { linkParameter } from "../input/page-link.js";
import type { Picture } from "../input/picture.js";
import type { ThresholdSliders } from "../input/threshold-sliders.js";
import { wrongTaskError } from "../shell/failure-card.js";
import { formatDepth } from "../util/depth-format.js";
import { element, elements } from "../util/elements.js";
import { BaseView } from "./base-view.js";
import type { ViewModule } from "./task-view.js";

class DepthView extends BaseView {
  readonly #legend = new DepthLegend();
  readonly #range = element("depth-range", HTMLElement);
  readonly #readout = new HoverReadout();
  readonly #views = elements("input[name=layer]", HTMLInputElement);
  readonly #fading = document.querySelector<HTMLInputElement>("#fading");
  readonly #stack = FocalStack.find((shown) => this.#showFrame(shown));
  #result: DepthResult | null = null;

  constructor() {
    super();
    if (this.#fading) this.#fading.checked = linkParameter("fading") === "yes";
    for (const view of this.#views) view.addEventListener("change", () => this.#layer());
  }

  onChange(rerun: () => void): void {
    this.#stack?.onChange(rerun);
    this.#fading?.addEventListener("change", rerun);
  }

  /** The colours to show, and the model's own map for the value at the pointer. */
  options(): RunOptions {
    const alpha = this.#fading?.checked ? { confidenceAlpha: true } : {};
    return { depth: ["colors", "map"], ...alpha, ...this.#stack?.options() };
  }

  link(): Record<string, string> {
    return { ...(this.#fading?.checked ? { fading: "yes" } : {}), ...this.#stack?.link() };
  }

  protected override legend(): PictureLegend | null {
    return this.stage.showsMap ? this.#legend.toPictureLegend() : null;
  }

  override showPicture(shown: StagePicture, title: string, picture?: Picture): void {
    super.showPicture(shown, title, picture);
    if (picture) void this.#stack?.take(picture, shown).catch(() => {});
  }

  showResult(result: Result, _model: Model, _thresholds: ThresholdSliders, updateText = true): void {
    if (result.kind !== "depth" || result.colors === null) throw wrongTaskError();
    this.#result = result;
    this.showRun(result, updateText);
    if (updateText) {
      const range = rangeOf(result);
      this.#range.textContent = range;
      this.#legend.show(result);
      this.stage.describe(`${this.title}: depth from ${range}`);
    }
    this.stage.showMap(result.colors);
  }

  protected override showEmpty(reason: string): void {
    this.#range.textContent = reason;
    this.#legend.hide();
  }

  clear(): void {
    this.#result = null;
    this.stage.showMap(null);
    this.hover(null);
  }

  #layer(): void {
    this.stage.hideMap(this.#views.find(({ checked }) => checked)?.value === "picture");
  }

  /** Shows another picture of the focal stack, and hides the depth map. */
  #showFrame(shown: StagePicture): void {
    for (const view of this.#views) view.checked = view.value === "picture";
    this.#layer();
    this.stage.showPicture(shown);
  }

  protected override hover(point: StagePoint | null): void {
    const result = this.#result;
    const value = result && point ? depthAt(result, point.x, point.y) : Number.NaN;
    this.#legend.mark(result, value);
    const inside = result !== null && cellAt(result, point) !== null;
    this.#readout.show(point, inside ? formatDepth(result.unit, value) : null);
  }
}

function rangeOf({ unit, min, max }: DepthResult): string {
  return `${formatDepth(unit, min)} to ${formatDepth(unit, max)}`;
}

export const drawing: ResultDrawing = {
  kind: "depth",
  options: { depth: "colors" },
  async draw(stage, result, _model, title) {
    if (result.kind !== "depth") return null;
    const words = `depth from ${rangeOf(result)}`;
    stage.describe(`${title}: ${words}`);
    stage.showMap(result.colors);
    return words;
  },
};
export const view: ViewModule = { kind: "depth", create: () => new DepthView() };
