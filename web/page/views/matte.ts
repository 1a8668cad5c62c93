// Shows the cutout of a matting model on a checkerboard, or on a background that the visitor chooses.

import type { MatteResult, Model, Result } from "../../src/index.js";
import { onBackground } from "../../src/tasks/matte/on-background.js";
import { BeforeAfter } from "../drawing/before-after.js";
import { onCheckerboard } from "../drawing/checkerboard.js";
import type { ResultDrawing } from "../drawing/result-drawing.js";
import type { StagePicture } from "../drawing/stage.js";
import { BackgroundChoice } from "../input/background-choice.js";
import type { Picture } from "../input/picture.js";
import type { ThresholdSliders } from "../input/threshold-sliders.js";
import { wrongTaskError } from "../shell/failure-card.js";
import { showOptions } from "../shell/snippet.js";
import { element } from "../util/elements.js";
import { BaseView } from "./base-view.js";
import type { ViewModule } from "./task-view.js";

class MatteView extends BaseView {
  readonly #words = element("matte-words", HTMLElement);
  readonly #split = new BeforeAfter(this.stage, element("stage", HTMLElement));
  readonly #note = element("background-note", HTMLElement);
  readonly #background = new BackgroundChoice(
    () => this.#compose(),
    () => {
      this.#note.textContent = "This file could not be read as a picture.";
    },
  );
  #result: MatteResult | null = null;
  #picture: StagePicture | null = null;

  link(): Record<string, string> {
    const { link } = this.#background;
    return link === null ? {} : { background: link };
  }

  override showPicture(shown: StagePicture, title: string, picture?: Picture): void {
    super.showPicture(shown, title, picture);
    this.#picture = shown;
  }

  showResult(result: Result, _model: Model, _thresholds: ThresholdSliders, updateText = true): void {
    if (result.kind !== "matte") throw wrongTaskError();
    this.#result?.cutout.close();
    this.#result = result;
    this.showRun(result, updateText);
    if (updateText) {
      const words = shareInFront(result);
      this.#words.textContent = words;
      this.stage.describe(`${this.title}: ${words}`);
    }
    this.#compose();
  }

  protected override showEmpty(reason: string): void {
    this.#words.textContent = reason;
  }

  clear(): void {
    this.#result?.cutout.close();
    this.#result = null;
    this.#split.show(false);
    this.stage.showMap(null);
  }

  /** The cutout at the picture's size, on the chosen background if any, with the orientation of the stage. */
  override async toBlob(): Promise<Blob | null> {
    if (this.#result === null) return null;
    const { width, height } = this.#result;
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext("2d");
    if (context === null) return null;
    if (this.#picture?.mirrored) context.setTransform(-1, 0, 0, 1, width, 0);
    const behind = this.#onBackground(this.#result);
    context.drawImage(behind ?? this.#result.cutout, 0, 0);
    behind?.close();
    return canvas.convertToBlob({ type: "image/png" });
  }

  #compose(): void {
    this.#note.textContent = "";
    const { code } = this.#background;
    showOptions(code === null ? {} : { background: code });
    if (this.#result === null) return;
    this.stage.showMap(this.#onBackground(this.#result) ?? onCheckerboard(this.#result.cutout));
    this.#split.show(true);
  }

  /** Null for no background. */
  #onBackground({ cutout, alpha }: MatteResult): ImageBitmap | null {
    if (this.#picture === null) return null;
    const { picture: image, size } = this.#picture;
    const background = this.#background.of({ image, size });
    return background === null ? null : onBackground(background, cutout, alpha);
  }
}

function shareInFront({ alpha }: MatteResult): string {
  const share = alpha.reduce((sum, level) => sum + level, 0) / (255 * Math.max(1, alpha.length));
  if (share === 0) return "No foreground";
  return share < 0.01 ? "Less than 1 % foreground" : `${Math.round(share * 100)} % foreground`;
}

export const drawing: ResultDrawing = {
  kind: "matte",
  async draw(stage, result, _model, title) {
    if (result.kind !== "matte") return null;
    const words = shareInFront(result);
    stage.describe(`${title}: ${words}`);
    stage.showMap(onCheckerboard(result.cutout));
    return words;
  },
};
export const view: ViewModule = { kind: "matte", create: () => new MatteView() };
