// Shows the picture of an image-to-image model in a before/after slider; for inpainting also the mask brush.

import type { ImageResult, Model, Result, RunOptions, TileResult } from "../../src/index.js";
import { BeforeAfter } from "../drawing/before-after.js";
import { PartialPicture } from "../drawing/partial-picture.js";
import type { ResultDrawing } from "../drawing/result-drawing.js";
import type { StagePicture } from "../drawing/stage.js";
import { MaskBrush } from "../input/mask-brush.js";
import type { Picture } from "../input/picture.js";
import { ReferenceChoice } from "../input/reference-choice.js";
import type { ThresholdSliders } from "../input/threshold-sliders.js";
import { ZoomSlider } from "../input/zoom-slider.js";
import { wrongTaskError } from "../shell/failure-card.js";
import { element } from "../util/elements.js";
import { BaseView } from "./base-view.js";
import type { ViewModule } from "./task-view.js";

class ImageView extends BaseView {
  readonly #root = element("stage", HTMLElement);
  readonly #words = element("picture-size", HTMLElement);
  readonly #split = new BeforeAfter(this.stage, this.#root);
  readonly #brush = document.querySelector("#brush-size")
    ? new MaskBrush(
        this.stage,
        this.#root,
        () => this.#rerun(),
        () => this.#split.splitX,
      )
    : null;
  readonly #reference = document.querySelector("#reference-file")
    ? new ReferenceChoice(() => this.#rerun())
    : null;
  readonly #zoom = new ZoomSlider(this.stage, this.#root, () => this.#brush === null);
  #rerun: () => void = () => {};
  #result: ImageResult | null = null;

  #scale = 1;
  /** The chosen picture. Not set for camera frames, which are too short for showing tiles. */
  #chosen: StagePicture | null = null;
  /** The picture on the stage, also a camera frame. */
  #shown: StagePicture | null = null;

  constructor() {
    super();
    this.#root.tabIndex = 0;
  }

  onChange(rerun: () => void): void {
    this.#rerun = rerun;
  }

  options(): RunOptions {
    const reference = this.#shown && this.#reference?.option(this.#shown);
    return { ...this.#brush?.option(), ...reference, ...this.#tileOption() };
  }

  override showPicture(shown: StagePicture, title: string, picture?: Picture): void {
    super.showPicture(shown, title, picture);
    this.#shown = shown;
    this.#chosen = picture === undefined ? null : shown;
    this.#brush?.setSize(shown.size, picture !== undefined);
    this.#zoom.setSize(shown.size);
  }

  override setModel(model: Model | null, reason: string): void {
    super.setModel(model, reason);
    this.#scale = (model?.manifest.task as { scale?: number } | undefined)?.scale ?? 1;
  }

  /** Shows each tile when it is finished. */
  #tileOption(): RunOptions {
    const chosen = this.#chosen;
    if (chosen === null) return {};
    const { width, height } = chosen.size;
    const partial = new PartialPicture({ width: width * this.#scale, height: height * this.#scale });
    const onTile = (tile: TileResult): void => {
      const { index, count } = tile;
      if (chosen !== this.#chosen || index + 1 === count) {
        tile.picture.close();
        return;
      }
      const map = partial.add(tile);
      this.#words.textContent = `Tile ${index + 1} of ${count}`;
      this.#result = null; // its picture is closed with the stage's next one
      this.stage.showMap(map);
      this.#split.show(true);
    };
    return { onTile };
  }

  showResult(result: Result, _model: Model, _thresholds: ThresholdSliders, updateText = true): void {
    if (result.kind !== "image") throw wrongTaskError();
    this.#result = result;
    this.showRun(result, updateText);
    if (updateText) {
      const words = sizeOf(result);
      this.#words.textContent = words;
      this.stage.describe(`${this.title}: ${words}`);
    }
    this.stage.showMap(result.picture);
    this.#split.show(true);
  }

  protected override showEmpty(reason: string): void {
    this.#words.textContent = reason;
  }

  clear(): void {
    this.#result = null;
    this.#split.show(false);
    this.stage.showMap(null);
  }

  /** The model's output picture, unscaled. */
  override toBlob(): Promise<Blob | null> {
    if (this.#result === null) return Promise.resolve(null);
    const { picture } = this.#result;
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    canvas.getContext("2d")?.drawImage(picture, 0, 0);
    return canvas.convertToBlob({ type: "image/png" });
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
