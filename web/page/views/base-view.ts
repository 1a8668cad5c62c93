// The base class of all views: shows the picture, the warnings and the timings. A task's view adds its drawing and lists.

import type { Model, Result } from "../../src/index.js";
import { type PictureLegend, withLegend } from "../drawing/picture-legend.js";
import { Stage, type StagePicture, type StagePoint } from "../drawing/stage.js";
import type { Picture } from "../input/picture.js";
import type { ThresholdSliders } from "../input/threshold-sliders.js";
import { clearTimings, showTimings } from "../shell/timings.js";
import { ModelWarnings } from "../shell/warnings.js";
import { element } from "../util/elements.js";
import type { TaskView } from "./task-view.js";

export abstract class BaseView implements TaskView {
  protected readonly stage = new Stage(
    {
      stage: element("stage", HTMLElement),
      ambient: element("ambient", HTMLCanvasElement),
      slot: element("slot", HTMLElement),
      overlay: element("overlay", HTMLCanvasElement),
    },
    (index) => this.highlight(index),
    (point) => this.hover(point),
  );
  protected title = "";
  /** Identifies the current picture. Files may have the same name: a phone calls every photograph image.jpg. */
  protected key = "";
  readonly #warnings = new ModelWarnings();

  abstract showResult(
    result: Result,
    model: Model,
    thresholds: ThresholdSliders,
    updateText?: boolean,
  ): void | Promise<void>;

  /** Empties the task's own lists, and shows the reason. */
  protected abstract showEmpty(reason: string): void;

  abstract clear(): void;

  /** Called when the pointer enters a detection; null when it leaves. */
  protected highlight(_index: number | null): void {}

  /** Called when the pointer moves over the picture; null when it leaves. */
  protected hover(_place: StagePoint | null): void {}

  setModel(model: Model | null, reason: string): void {
    this.#warnings.setModel(model);
    if (model === null) this.showNone(reason);
  }

  showPicture(shown: StagePicture, title: string, picture?: Picture): void {
    // The frames of a camera keep the text of the last result.
    if (picture !== undefined || title !== this.title) this.stage.describe(title);
    this.title = title;
    const { size, lastModified } = Object(picture?.blob) as Partial<File>;
    this.key = JSON.stringify([title, size, lastModified]);
    element("hint", HTMLElement).hidden = true;
    this.stage.showPicture(shown);
  }

  showNone(reason: string): void {
    this.clear();
    this.showEmpty(reason);
    clearTimings();
  }

  /** The legend below a saved picture; null if it needs none. */
  protected legend(): PictureLegend | null {
    return null;
  }

  async toBlob(): Promise<Blob | null> {
    const picture = await this.stage.toCanvas();
    if (picture === null) return null;
    const legend = this.legend();
    const saved = legend === null ? picture : withLegend(picture, legend);
    return new Promise((resolve) => saved.toBlob(resolve, "image/png"));
  }

  setQuiet(quiet: boolean): void {
    element("count", HTMLElement).setAttribute("aria-live", quiet ? "off" : "polite");
  }

  /** Shows the warnings of a run, and with `updateText` its timings. */
  protected showRun({ warnings, timings }: Result, updateText: boolean): void {
    this.#warnings.showRun(warnings);
    if (updateText) showTimings(timings);
  }
}
