// What every outcome shows besides its task's own: the picture, the warnings of loading and of the run, the times.

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
    (place) => this.point(place),
  );
  protected title = "";
  readonly #warnings = new ModelWarnings();

  abstract showResult(
    result: Result,
    model: Model,
    thresholds: ThresholdSliders,
    due?: boolean,
  ): void | Promise<void>;

  /** Empties what the task shows of its own, and says `reason`. */
  protected abstract empty(reason: string): void;

  abstract clear(): void;

  /** The pointer is on a detection, or on none. */
  protected highlight(_index: number | null): void {}

  /** The pointer is at a place of the picture, or has left it. */
  protected point(_place: StagePoint | null): void {}

  setModel(model: Model | null, reason: string): void {
    this.#warnings.setModel(model);
    if (model === null) this.showNone(reason);
  }

  showPicture(shown: StagePicture, title: string, _picture?: Picture): void {
    this.title = title;
    element("hint", HTMLElement).hidden = true;
    this.stage.showPicture(shown);
  }

  showNone(reason: string): void {
    this.clear();
    this.empty(reason);
    clearTimings();
  }

  /** What a saved picture says below it; null where the drawing says all. */
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

  /** Shows what every result says; the times only when they are `due`. */
  protected showRun({ warnings, timings }: Result, due: boolean): void {
    this.#warnings.showRun(warnings);
    if (due) showTimings(timings);
  }
}
