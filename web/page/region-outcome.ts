// Shows what every pixel belongs to: the regions in colours over the picture, their list, the one under the pointer.

import type { Model, PanopticResult, Region, Result, RunOptions } from "../src/index.js";
import { BaseOutcome } from "./base-outcome.js";
import { element, elements } from "./elements.js";
import { disagreement } from "./failure.js";
import { percent } from "./format.js";
import { cellAt, Reading } from "./reading.js";
import { type Color, regionColors, written } from "./region-colors.js";
import { RegionPicture } from "./region-picture.js";
import { Results } from "./results.js";
import type { Place } from "./stage.js";
import type { ThresholdSliders } from "./thresholds.js";

export class RegionOutcome extends BaseOutcome {
  readonly #results = new Results((index) => this.#raise(index));
  readonly #picture = new RegionPicture();
  readonly #reading = new Reading();
  readonly #layers = elements("input[name=layer]", HTMLInputElement);
  readonly #modes = elements("input[name=mode]", HTMLInputElement);
  #answer: { result: PanopticResult; colors: Color[] } | null = null;
  #lit: number | null = null;

  constructor() {
    super();
    for (const layer of this.#layers)
      layer.addEventListener("change", () => this.stage.hideMap(this.#checked(this.#layers) === "picture"));
  }

  onChange(rerun: () => void): void {
    for (const mode of this.#modes) mode.addEventListener("change", rerun);
  }

  options(): RunOptions {
    const mode = this.#checked(this.#modes);
    return mode === "panoptic" || mode === "instance" || mode === "semantic" ? { mode } : {};
  }

  async showResult(result: Result, _model: Model, _thresholds: ThresholdSliders, due = true): Promise<void> {
    if (result.kind !== "panoptic") throw disagreement();
    const { regions } = result;
    this.#answer = { result, colors: regionColors(regions) };
    if (this.#lit !== null && this.#lit >= regions.length) this.#lit = null;
    this.showRun(result, due);
    if (due) {
      this.#list(this.#answer);
      const words = regions.map(({ label, share }) => `${label} ${percent(share)}`).join(", ") || "nothing";
      this.stage.describe(`${this.title}: ${words}`);
    }
    element("nobody", HTMLElement).hidden = regions.length > 0;
    element("nobody", HTMLElement).textContent = "Nothing found. Try another picture.";
    await this.#paint();
  }

  protected override empty(why: string): void {
    this.#results.showNone(why);
  }

  clear(): void {
    this.#answer = null;
    this.#lit = null;
    this.#picture.stop();
    this.stage.showMap(null);
    element("nobody", HTMLElement).hidden = true;
    this.point(null);
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

  #raise(index: number | null): void {
    if (this.#lit === index) return;
    this.#lit = index;
    this.#results.light(index);
    void this.#paint();
  }

  async #paint(): Promise<void> {
    if (this.#answer === null) return;
    const { result, colors } = this.#answer;
    const map = await this.#picture.paint(result, colors, this.#lit === null ? null : this.#lit + 1);
    if (map !== null) this.stage.showMap(map);
  }

  protected override point(place: Place | null): void {
    const index = this.#indexAt(place);
    this.#raise(index ?? this.#results.pinned);
    const region = index === null ? undefined : this.#answer?.result.regions[index];
    this.#reading.show(place, region ? inWords(region) : null);
  }

  #indexAt(place: Place | null): number | null {
    const result = this.#answer?.result;
    const cell = result ? cellAt(result, place) : null;
    const number = cell === null ? 0 : (result?.map[cell] ?? 0);
    return number > 0 ? number - 1 : null;
  }
}

function inWords({ label, score, share }: Region): string {
  return `${label}${score === null ? "" : ` ${score.toFixed(2)}`} · ${percent(share)}`;
}
