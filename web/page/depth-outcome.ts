// Shows how far away things are: the map in colours over the picture, its scale, the value under the pointer.

import type { DepthResult, Model, Result, RunOptions, Warning } from "../src/index.js";
import { DepthLegend } from "./depth-legend.js";
import { DepthPicture } from "./depth-picture.js";
import { inWords, type Scale, scaleOf } from "./depth-scale.js";
import { element, elements } from "./elements.js";
import { disagreement } from "./failure.js";
import { FocalStack } from "./focal-stack.js";
import type { Outcome } from "./outcome.js";
import type { Picture } from "./picture.js";
import { type Place, type Shown, Stage } from "./stage.js";
import type { ThresholdSliders } from "./thresholds.js";
import { clearTimings, showTimings } from "./timings.js";
import { showWarnings } from "./warnings.js";

export class DepthOutcome implements Outcome {
  readonly #stage = new Stage(
    () => {},
    (place) => this.#read(place),
  );
  readonly #legend = new DepthLegend();
  readonly #picture = new DepthPicture();
  readonly #reading = element("reading", HTMLElement);
  readonly #views = elements("input[name=layer]", HTMLInputElement);
  readonly #fading = document.querySelector<HTMLInputElement>("#fading");
  readonly #stack = FocalStack.find((shown) => this.#showFrame(shown));
  #title = "";
  #loading: readonly Warning[] = [];
  #answer: { result: DepthResult; scale: Scale } | null = null;

  constructor() {
    for (const view of this.#views) view.addEventListener("change", () => this.#layer());
    this.#fading?.addEventListener("change", () => void this.#paint());
  }

  onChange(rerun: () => void): void {
    this.#stack?.onChange(rerun);
  }

  options(): RunOptions {
    return this.#stack?.options() ?? {};
  }

  setModel(model: Model | null, why: string): void {
    this.#loading = model?.warnings ?? [];
    showWarnings(this.#loading);
    if (model === null) this.showNone(why);
  }

  showPicture(shown: Shown, title: string, picture?: Picture): void {
    this.#title = title;
    element("hint", HTMLElement).hidden = true;
    this.#stage.showPicture(shown);
    if (picture) void this.#stack?.take(picture, shown).catch(() => {});
  }

  async showResult(result: Result, model: Model, _thresholds: ThresholdSliders, due = true): Promise<void> {
    const { task } = model.manifest;
    if (result.kind !== "depth" || task.kind !== "depth") throw disagreement();
    const scale = scaleOf(result, task);
    this.#answer = { result, scale };
    showWarnings([...this.#loading, ...result.warnings]);
    if (due) {
      this.#legend.show(result, scale);
      const range = `${inWords(scale, result.min)} to ${inWords(scale, result.max)}`;
      this.#stage.describe(`${this.#title}: depth from ${range}`);
      showTimings(result.timings);
    }
    await this.#paint();
  }

  showNone(why: string): void {
    this.clear();
    this.#legend.showNone(why);
    clearTimings();
  }

  clear(): void {
    this.#answer = null;
    this.#picture.stop();
    this.#stage.showMap(null);
    this.#read(null);
  }

  setQuiet(quiet: boolean): void {
    element("count", HTMLElement).setAttribute("aria-live", quiet ? "off" : "polite");
  }

  async #paint(): Promise<void> {
    if (this.#answer === null) return;
    const { result, scale } = this.#answer;
    const map = await this.#picture.paint(result, scale, this.#fading?.checked ?? false);
    if (map !== null) this.#stage.showMap(map);
  }

  #layer(): void {
    this.#stage.hideMap(this.#views.find(({ checked }) => checked)?.value === "picture");
  }

  /** Who turns the focus wants to see the pictures. */
  #showFrame(shown: Shown): void {
    for (const view of this.#views) view.checked = view.value === "picture";
    this.#layer();
    this.#stage.showPicture(shown);
  }

  #read(place: Place | null): void {
    const value = this.#valueAt(place);
    this.#reading.hidden = value === null;
    this.#legend.mark(this.#answer?.scale ?? null, value ?? Number.NaN);
    if (value === null || place === null || this.#answer === null) return;
    this.#reading.textContent = inWords(this.#answer.scale, value);
    this.#reading.style.setProperty("--left", `${place.left}px`);
    this.#reading.style.setProperty("--top", `${place.top}px`);
  }

  #valueAt(place: { x: number; y: number } | null): number | null {
    if (place === null || this.#answer === null) return null;
    const { width, height, depth } = this.#answer.result;
    const x = Math.floor(place.x);
    const y = Math.floor(place.y);
    return x >= 0 && y >= 0 && x < width && y < height ? (depth[y * width + x] ?? null) : null;
  }
}
