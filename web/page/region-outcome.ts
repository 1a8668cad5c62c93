// Shows what every pixel belongs to: the regions in colours over the picture, their list, the one under the pointer.

import type { Model, PanopticResult, Result, RunOptions, Warning } from "../src/index.js";
import { element, elements } from "./elements.js";
import { disagreement } from "./failure.js";
import { percent } from "./format.js";
import type { Outcome } from "./outcome.js";
import { type Color, regionColors, written } from "./region-colors.js";
import { RegionPicture } from "./region-picture.js";
import { Results } from "./results.js";
import { type Place, type Shown, Stage } from "./stage.js";
import type { ThresholdSliders } from "./thresholds.js";
import { clearTimings, showTimings } from "./timings.js";
import { showWarnings } from "./warnings.js";

export class RegionOutcome implements Outcome {
  readonly #stage = new Stage(
    () => {},
    (place) => this.#point(place),
  );
  readonly #results = new Results((index) => this.#light(index));
  readonly #picture = new RegionPicture();
  readonly #reading = element("reading", HTMLElement);
  readonly #layers = elements("input[name=layer]", HTMLInputElement);
  readonly #modes = elements("input[name=mode]", HTMLInputElement);
  #title = "";
  #loading: readonly Warning[] = [];
  #answer: { result: PanopticResult; colors: Color[] } | null = null;
  #lit: number | null = null;

  constructor() {
    for (const layer of this.#layers)
      layer.addEventListener("change", () => this.#stage.hideMap(this.#checked(this.#layers) === "picture"));
  }

  onChange(rerun: () => void): void {
    for (const mode of this.#modes) mode.addEventListener("change", rerun);
  }

  options(): RunOptions {
    const mode = this.#checked(this.#modes);
    return mode === "panoptic" || mode === "instance" || mode === "semantic" ? { mode } : {};
  }

  setModel(model: Model | null, why: string): void {
    this.#loading = model?.warnings ?? [];
    showWarnings(this.#loading);
    if (model === null) this.showNone(why);
  }

  showPicture(shown: Shown, title: string): void {
    this.#title = title;
    element("hint", HTMLElement).hidden = true;
    this.#stage.showPicture(shown);
  }

  async showResult(result: Result, _model: Model, _thresholds: ThresholdSliders, due = true): Promise<void> {
    if (result.kind !== "panoptic") throw disagreement();
    const { regions } = result;
    this.#answer = { result, colors: regionColors(regions) };
    if (this.#lit !== null && this.#lit >= regions.length) this.#lit = null;
    showWarnings([...this.#loading, ...result.warnings]);
    if (due) {
      this.#list(this.#answer);
      const words = regions.map(({ label, share }) => `${label} ${percent(share)}`).join(", ") || "nothing";
      this.#stage.describe(`${this.#title}: ${words}`);
      showTimings(result.timings);
    }
    element("nobody", HTMLElement).hidden = regions.length > 0;
    element("nobody", HTMLElement).textContent = "Nothing found. Try another picture.";
    await this.#paint();
  }

  showNone(why: string): void {
    this.clear();
    this.#results.showNone(why);
    clearTimings();
  }

  clear(): void {
    this.#answer = null;
    this.#lit = null;
    this.#picture.stop();
    this.#stage.showMap(null);
    element("nobody", HTMLElement).hidden = true;
    this.#point(null);
  }

  setQuiet(quiet: boolean): void {
    element("count", HTMLElement).setAttribute("aria-live", quiet ? "off" : "polite");
  }

  #list({ result, colors }: { result: PanopticResult; colors: Color[] }): void {
    const lines = result.regions.map(({ label, score, share }, index) => ({
      label,
      color: written(colors[index] ?? [255, 255, 255]),
      detail: score === null ? "" : score.toFixed(2),
      share,
      value: percent(share),
    }));
    this.#results.show(lines, lines.length === 1 ? "region" : "regions");
  }

  #checked(inputs: readonly HTMLInputElement[]): string | undefined {
    return inputs.find(({ checked }) => checked)?.value;
  }

  #light(index: number | null): void {
    if (this.#lit === index) return;
    this.#lit = index;
    this.#results.light(index);
    void this.#paint();
  }

  async #paint(): Promise<void> {
    if (this.#answer === null) return;
    const { result, colors } = this.#answer;
    const map = await this.#picture.paint(result, colors, this.#lit === null ? null : this.#lit + 1);
    if (map !== null) this.#stage.showMap(map);
  }

  #point(place: Place | null): void {
    const index = this.#indexAt(place);
    this.#light(index ?? this.#results.pinned);
    const region = index === null ? undefined : this.#answer?.result.regions[index];
    this.#reading.hidden = region === undefined;
    if (region === undefined || place === null) return;
    const score = region.score === null ? "" : ` ${region.score.toFixed(2)}`;
    this.#reading.textContent = `${region.label}${score} · ${percent(region.share)}`;
    this.#reading.style.setProperty("--left", `${place.left}px`);
    this.#reading.style.setProperty("--top", `${place.top}px`);
  }

  #indexAt(place: Place | null): number | null {
    if (place === null || this.#answer === null) return null;
    const { width, height, map } = this.#answer.result;
    const x = Math.floor(place.x);
    const y = Math.floor(place.y);
    const number = x >= 0 && y >= 0 && x < width && y < height ? (map[y * width + x] ?? 0) : 0;
    return number > 0 ? number - 1 : null;
  }
}
