// Shows how far away things are: the map in colours over the picture, its scale, the value under the pointer.

import type { DepthResult, Model, Result, RunOptions } from "../src/index.js";
import { BaseOutcome } from "./base-outcome.js";
import { DepthLegend } from "./depth-legend.js";
import { DepthPicture } from "./depth-picture.js";
import { inWords, type Scale, scaleOf } from "./depth-scale.js";
import { elements } from "./elements.js";
import { disagreement } from "./failure.js";
import { FocalStack } from "./focal-stack.js";
import type { Picture } from "./picture.js";
import { cellAt, Reading } from "./reading.js";
import type { Place, Shown } from "./stage.js";
import type { ThresholdSliders } from "./thresholds.js";

export class DepthOutcome extends BaseOutcome {
  readonly #legend = new DepthLegend();
  readonly #picture = new DepthPicture();
  readonly #reading = new Reading();
  readonly #views = elements("input[name=layer]", HTMLInputElement);
  readonly #fading = document.querySelector<HTMLInputElement>("#fading");
  readonly #stack = FocalStack.find((shown) => this.#showFrame(shown));
  #answer: { result: DepthResult; scale: Scale } | null = null;

  constructor() {
    super();
    for (const view of this.#views) view.addEventListener("change", () => this.#layer());
    this.#fading?.addEventListener("change", () => void this.#paint());
  }

  onChange(rerun: () => void): void {
    this.#stack?.onChange(rerun);
  }

  options(): RunOptions {
    return this.#stack?.options() ?? {};
  }

  override showPicture(shown: Shown, title: string, picture?: Picture): void {
    super.showPicture(shown, title);
    if (picture) void this.#stack?.take(picture, shown).catch(() => {});
  }

  async showResult(result: Result, model: Model, _thresholds: ThresholdSliders, due = true): Promise<void> {
    const { task } = model.manifest;
    if (result.kind !== "depth" || task.kind !== "depth") throw disagreement();
    const scale = scaleOf(result, task);
    this.#answer = { result, scale };
    this.showRun(result, due);
    if (due) {
      this.#legend.show(result, scale);
      const range = `${inWords(scale, result.min)} to ${inWords(scale, result.max)}`;
      this.stage.describe(`${this.title}: depth from ${range}`);
    }
    await this.#paint();
  }

  protected override empty(why: string): void {
    this.#legend.showNone(why);
  }

  clear(): void {
    this.#answer = null;
    this.#picture.stop();
    this.stage.showMap(null);
    this.point(null);
  }

  async #paint(): Promise<void> {
    if (this.#answer === null) return;
    const { result, scale } = this.#answer;
    const map = await this.#picture.paint(result, scale, this.#fading?.checked ?? false);
    if (map !== null) this.stage.showMap(map);
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
    const value = this.#valueAt(place);
    const scale = this.#answer?.scale ?? null;
    this.#legend.mark(scale, value ?? Number.NaN);
    this.#reading.show(place, value === null || scale === null ? null : inWords(scale, value));
  }

  #valueAt(place: Place | null): number | null {
    const result = this.#answer?.result;
    const cell = result ? cellAt(result, place) : null;
    return cell === null ? null : (result?.depth[cell] ?? null);
  }
}
