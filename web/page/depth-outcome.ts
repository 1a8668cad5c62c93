// Shows how far away things are: the map in colours over the picture, its scale, the value under the pointer.

import { depthAt } from "../src/depth-at.js";
import type { DepthResult, Model, Result, RunOptions } from "../src/index.js";
import { BaseOutcome } from "./base-outcome.js";
import { DepthLegend } from "./depth-legend.js";
import { inWords } from "./depth-scale.js";
import { elements } from "./elements.js";
import { disagreement } from "./failure.js";
import { FocalStack } from "./focal-stack.js";
import type { Picture } from "./picture.js";
import { cellAt, Reading } from "./reading.js";
import type { Place, Shown } from "./stage.js";
import type { ThresholdSliders } from "./thresholds.js";

export class DepthOutcome extends BaseOutcome {
  readonly #legend = new DepthLegend();
  readonly #reading = new Reading();
  readonly #views = elements("input[name=layer]", HTMLInputElement);
  readonly #fading = document.querySelector<HTMLInputElement>("#fading");
  readonly #stack = FocalStack.find((shown) => this.#showFrame(shown));
  #answer: DepthResult | null = null;

  constructor() {
    super();
    for (const view of this.#views) view.addEventListener("change", () => this.#layer());
  }

  onChange(rerun: () => void): void {
    this.#stack?.onChange(rerun);
    this.#fading?.addEventListener("change", rerun);
  }

  /** The colours as they are shown, and the model's own map for the number under the pointer. */
  options(): RunOptions {
    const fade = this.#fading?.checked ? { fade: true } : {};
    return { depth: ["colors", "map"], ...fade, ...this.#stack?.options() };
  }

  override showPicture(shown: Shown, title: string, picture?: Picture): void {
    super.showPicture(shown, title);
    if (picture) void this.#stack?.take(picture, shown).catch(() => {});
  }

  showResult(result: Result, _model: Model, _thresholds: ThresholdSliders, due = true): void {
    if (result.kind !== "depth" || result.colors === null) throw disagreement();
    this.#answer = result;
    this.showRun(result, due);
    if (due) {
      const { unit, min, max } = result;
      this.#legend.show(result);
      this.stage.describe(`${this.title}: depth from ${inWords(unit, min)} to ${inWords(unit, max)}`);
    }
    this.stage.showMap(result.colors);
  }

  protected override empty(why: string): void {
    this.#legend.showNone(why);
  }

  clear(): void {
    this.#answer = null;
    this.stage.showMap(null);
    this.point(null);
  }

  #layer(): void {
    this.stage.hideMap(this.#views.find(({ checked }) => checked)?.value === "picture");
  }

  /** Who turns the focus wants to see the pictures. */
  #showFrame(shown: Shown): void {
    for (const view of this.#views) view.checked = view.value === "picture";
    this.#layer();
    this.stage.showPicture(shown);
  }

  protected override point(place: Place | null): void {
    const result = this.#answer;
    const value = result && place ? depthAt(result, place.x, place.y) : Number.NaN;
    this.#legend.mark(result, value);
    const inside = result !== null && cellAt(result, place) !== null;
    this.#reading.show(place, inside ? inWords(result.unit, value) : null);
  }
}
