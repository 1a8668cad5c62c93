// Shows the mask of what the visitor points at: clicks on the object, shift-clicks beside it.

import type { MaskGenerationResult, Model, Point, Result, RunOptions } from "../../src/index.js";
import { maskMap } from "../drawing/mask-map.js";
import { RegionBitmap } from "../drawing/region-bitmap.js";
import { regionColors, written } from "../drawing/region-colors.js";
import type { ResultDrawing } from "../drawing/result-drawing.js";
import type { StagePicture } from "../drawing/stage.js";
import type { ThresholdSliders } from "../input/threshold-sliders.js";
import { ResultList } from "../results/result-list.js";
import { wrongTaskError } from "../shell/failure-card.js";
import { element } from "../util/elements.js";
import { percent } from "../util/format.js";
import { BaseView } from "./base-view.js";
import type { ViewModule } from "./task-view.js";

/** A click, and whether it is on the object or beside it. */
type Click = Point & { label: 0 | 1 };

class MaskGenerationView extends BaseView {
  readonly asksOften = true;
  readonly #results = new ResultList(() => {});
  readonly #masks = new RegionBitmap();
  readonly #undo = element("undo-click", HTMLButtonElement);
  #clicks: Click[] = [];
  #size = { width: 1, height: 1 };
  #rerun: () => void = () => {};

  constructor() {
    super();
    element("stage", HTMLElement).addEventListener("click", (event) => this.#click(event));
    this.#undo.addEventListener("click", () => this.#set(this.#clicks.slice(0, -1)));
    this.stage.decorate((context, { left, top, scale }) => {
      for (const { x, y, label } of this.#clicks) {
        context.beginPath();
        context.arc(left + x * scale, top + y * scale, 6, 0, 2 * Math.PI);
        context.fillStyle = label === 1 ? "#ffffff" : "#d03030";
        context.strokeStyle = "#101010";
        context.fill();
        context.stroke();
      }
    });
  }

  onChange(rerun: () => void): void {
    this.#rerun = rerun;
  }

  /** Without a click it is the middle of the picture that is pointed at. */
  options(): RunOptions {
    const middle: Click = { x: this.#size.width / 2, y: this.#size.height / 2, label: 1 };
    const clicks = this.#clicks.length > 0 ? this.#clicks : [middle];
    return { points: clicks.map(({ x, y }) => ({ x, y })), labels: clicks.map(({ label }) => label) };
  }

  override showPicture(shown: StagePicture, title: string): void {
    super.showPicture(shown, title);
    this.#size = shown.size;
    this.#clicks = [];
    this.#undo.disabled = true;
  }

  async showResult(result: Result, _model: Model, _thresholds: ThresholdSliders, due = true): Promise<void> {
    if (result.kind !== "mask-generation") throw wrongTaskError();
    this.showRun(result, due);
    const [color = [255, 255, 255]] = colorsOf(result);
    const rows = result.masks.map(({ score, mask }) => ({
      label: "object",
      color: written([color[0] ?? 0, color[1] ?? 0, color[2] ?? 0]),
      detail: score.toFixed(2),
      share: shareOf(mask),
      value: percent(shareOf(mask)),
    }));
    if (due) this.#results.show(rows, rows.length === 1 ? "object" : "objects");
    this.stage.describe(`${this.title}: ${describe(result)}`);
    const map = await this.#masks.paint(mapOf(result), colorsOf(result), null);
    if (map !== null) this.stage.showMap(map);
  }

  protected override empty(reason: string): void {
    this.#results.showNone(reason);
  }

  clear(): void {
    this.#masks.stop();
    this.stage.showMap(null);
  }

  #click(event: MouseEvent): void {
    const place = this.stage.placeOf(event);
    const { width, height } = this.#size;
    if (place === null || place.x < 0 || place.y < 0 || place.x > width || place.y > height) return;
    this.#set([...this.#clicks, { x: place.x, y: place.y, label: event.shiftKey ? 0 : 1 }]);
  }

  #set(clicks: Click[]): void {
    this.#clicks = clicks;
    this.#undo.disabled = clicks.length === 0;
    this.stage.redraw();
    this.#rerun();
  }
}

function colorsOf({ masks }: MaskGenerationResult): ReturnType<typeof regionColors> {
  return regionColors(masks.map((_, classIndex) => ({ classIndex })));
}

function mapOf({ masks, width, height }: MaskGenerationResult): {
  map: Uint16Array<ArrayBuffer>;
  width: number;
  height: number;
} {
  return { map: maskMap(masks, width * height), width, height };
}

function shareOf(mask: Uint8Array): number {
  return mask.reduce((sum, pixel) => sum + pixel, 0) / Math.max(1, mask.length);
}

function describe({ masks, best }: MaskGenerationResult): string {
  const mask = masks[best];
  return mask === undefined ? "no mask" : `a mask of ${percent(shareOf(mask.mask))}`;
}

export const drawing: ResultDrawing = {
  kind: "mask-generation",
  async draw(stage, result, _model, title) {
    if (result.kind !== "mask-generation") return null;
    const words = describe(result);
    stage.describe(`${title}: ${words}`);
    stage.showMap(await new RegionBitmap().paint(mapOf(result), colorsOf(result), null));
    return words;
  },
};
export const view: ViewModule = { kind: "mask-generation", create: () => new MaskGenerationView() };
