// The view of all tasks with detections: draws them on the stage and lists them.

import type { Model, Result } from "../../src/index.js";
import { finalTask } from "../../src/manifest/stages.js";
import { Tracker } from "../../src/tracking/tracker.js";
import type { ThresholdSliders } from "../input/threshold-sliders.js";
import { detectionRows } from "../results/detection-rows.js";
import { countDetections, countedClasses, type DetectionReader, withTrack } from "../results/detections.js";
import { ResultList } from "../results/result-list.js";
import { wrongTaskError } from "../shell/failure-card.js";
import { element } from "../util/elements.js";
import { noun, threshold } from "../util/format.js";
import { BaseView } from "./base-view.js";

export class DetectionsView extends BaseView {
  readonly #read: DetectionReader;
  readonly #results = new ResultList((index) => this.highlight(index));
  readonly #emptyNote = element("nobody", HTMLElement);
  /** Gives each object of a camera's frames a track id; null for pictures. */
  #tracker: Tracker | null = null;
  /** The suggestion in the note if nothing was found. */
  protected readonly other: string = "another picture";

  constructor(read: DetectionReader) {
    super();
    this.#read = read;
  }

  async showResult(
    result: Result,
    model: Model,
    thresholds: ThresholdSliders,
    updateText = true,
  ): Promise<void> {
    this.track(result);
    const found = this.#read(result, finalTask(model.manifest));
    if (found === null) throw wrongTaskError();
    const detections = found.detections.map(withTrack);
    const { style } = found;
    const classes = countedClasses(style, model.manifest);
    const words = `${this.title}: ${countDetections(found, model.manifest)} found`;
    const shown = this.stage.showDetections(detections, style, words);
    this.#showEmptyNote(detections.length === 0, classes, thresholds.shown("confidence"));
    this.showRun(result, updateText);
    if (updateText) this.#results.show(detectionRows(detections, style), noun(classes, detections.length));
    await shown;
  }

  /** Adds track ids to the detections of a camera frame. */
  protected track(result: Result): void {
    this.#tracker?.update(result);
  }

  override setQuiet(quiet: boolean): void {
    super.setQuiet(quiet);
    this.#tracker = quiet ? new Tracker() : null;
  }

  protected override showEmpty(reason: string): void {
    this.#results.showNone(reason);
  }

  clear(): void {
    this.#emptyNote.hidden = true;
    this.#results.unpin();
    this.stage.clearDetections();
  }

  #showEmptyNote(isEmpty: boolean, classes: readonly string[], confidence: number | null): void {
    this.#emptyNote.hidden = !isEmpty;
    if (isEmpty) this.#emptyNote.textContent = this.emptyText(classes, confidence);
  }

  /** Returns the note if there is nothing to show. */
  protected emptyText(classes: readonly string[], confidence: number | null): string {
    const who = classes.length === 1 && classes[0] === "person" ? "Nobody" : "Nothing";
    const lower = confidence !== null && confidence > 0.1;
    const advice = lower ? `Lower the confidence, now ${threshold(confidence)}, or try` : "Try";
    return `${who} found. ${advice} ${this.other}.`;
  }

  protected override highlight(index: number | null): void {
    const lit = index ?? this.#results.pinned;
    this.stage.highlight(lit);
    this.#results.highlight(lit);
  }
}
