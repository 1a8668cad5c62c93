// Shows semantic, instance or panoptic segmentation: coloured regions over the picture, and their list.

import type { ImageSegmentationResult, Model, Region, Result, RunOptions } from "../../src/index.js";
import { cellAt, HoverReadout } from "../drawing/hover-readout.js";
import type { PictureLegend } from "../drawing/picture-legend.js";
import { RegionBitmap } from "../drawing/region-bitmap.js";
import { type Color, cssColor, regionColors } from "../drawing/region-colors.js";
import type { ResultDrawing } from "../drawing/result-drawing.js";
import type { StagePoint } from "../drawing/stage.js";
import { linkParameter } from "../input/page-link.js";
import type { ThresholdSliders } from "../input/threshold-sliders.js";
import { ResultList, type ResultRow } from "../results/result-list.js";
import { wrongTaskError } from "../shell/failure-card.js";
import { element, elements } from "../util/elements.js";
import { percent } from "../util/format.js";
import { BaseView } from "./base-view.js";
import type { ViewModule } from "./task-view.js";

interface Shown {
  result: ImageSegmentationResult;
  colors: Color[];
}

class ImageSegmentationView extends BaseView {
  readonly #results = new ResultList((index) => this.#raise(index));
  readonly #picture = new RegionBitmap();
  readonly #readout = new HoverReadout();
  readonly #layers = elements("input[name=layer]", HTMLInputElement);
  readonly #modes = elements("input[name=mode]", HTMLInputElement);
  #result: Shown | null = null;
  #highlighted: number | null = null;

  constructor() {
    super();
    const mode = this.#modes.find(({ value }) => value === linkParameter("mode"));
    if (mode) mode.checked = true;
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

  link(): Record<string, string> {
    const mode = this.#checked(this.#modes);
    return mode === undefined ? {} : { mode };
  }

  protected override legend(): PictureLegend | null {
    return this.#result && this.stage.showsMap ? { rows: rowsOf(this.#result) } : null;
  }

  async showResult(
    result: Result,
    _model: Model,
    _thresholds: ThresholdSliders,
    updateText = true,
  ): Promise<void> {
    if (result.kind !== "image-segmentation") throw wrongTaskError();
    const { regions } = result;
    this.#result = { result, colors: regionColors(regions) };
    if (this.#highlighted !== null && this.#highlighted >= regions.length) this.#highlighted = null;
    this.showRun(result, updateText);
    if (updateText) {
      this.#list(this.#result);
      this.stage.describe(`${this.title}: ${listRegions(regions)}`);
    }
    element("nobody", HTMLElement).hidden = regions.length > 0;
    element("nobody", HTMLElement).textContent = "Nothing found. Try another picture.";
    await this.#paint();
  }

  protected override showEmpty(reason: string): void {
    this.#results.showNone(reason);
  }

  clear(): void {
    this.#result = null;
    this.#highlighted = null;
    this.#results.unpin();
    this.#picture.stop();
    this.stage.showMap(null);
    element("nobody", HTMLElement).hidden = true;
    this.hover(null);
  }

  #list(shown: Shown): void {
    const lines = rowsOf(shown);
    this.#results.show(lines, lines.length === 1 ? "region" : "regions");
  }

  #checked(inputs: readonly HTMLInputElement[]): string | undefined {
    return inputs.find(({ checked }) => checked)?.value;
  }

  #raise(index: number | null): void {
    if (this.#highlighted === index) return;
    this.#highlighted = index;
    this.#results.highlight(index);
    void this.#paint();
  }

  async #paint(): Promise<void> {
    if (this.#result === null) return;
    const { result, colors } = this.#result;
    const map = await this.#picture.paint(
      result,
      colors,
      this.#highlighted === null ? null : this.#highlighted + 1,
    );
    if (map !== null) this.stage.showMap(map);
  }

  protected override hover(point: StagePoint | null): void {
    const index = this.#indexAt(point);
    this.#raise(index ?? this.#results.pinned);
    const region = index === null ? undefined : this.#result?.result.regions[index];
    this.#readout.show(point, region ? describeRegions(region) : null);
  }

  #indexAt(point: StagePoint | null): number | null {
    const result = this.#result?.result;
    const cell = result ? cellAt(result, point) : null;
    const number = cell === null ? 0 : (result?.map[cell] ?? 0);
    return number > 0 ? number - 1 : null;
  }
}

function rowsOf({ result, colors }: Shown): ResultRow[] {
  return result.regions.map(({ label, score, share }, index) => ({
    label,
    color: cssColor(colors[index] ?? [255, 255, 255]),
    detail: score === null ? "" : score.toFixed(2),
    share,
    value: percent(share),
  }));
}

function describeRegions({ label, score, share }: Region): string {
  return `${label}${score === null ? "" : ` ${score.toFixed(2)}`} · ${percent(share)}`;
}

function listRegions(regions: readonly Region[]): string {
  return regions.map(({ label, share }) => `${label} ${percent(share)}`).join(", ") || "nothing";
}

export const drawing: ResultDrawing = {
  kind: "image-segmentation",
  async draw(stage, result, _model, title) {
    if (result.kind !== "image-segmentation") return null;
    const words = listRegions(result.regions);
    stage.describe(`${title}: ${words}`);
    stage.showMap(await new RegionBitmap().paint(result, regionColors(result.regions), null));
    return words;
  },
};
export const view: ViewModule = { kind: "image-segmentation", create: () => new ImageSegmentationView() };
