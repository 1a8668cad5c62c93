// The interface of a task's view: it shows results of one task on the demo page. To change how a task's results look, start
// at views/<kind>.ts.

import type { Model, Result, RunOptions } from "../../src/index.js";
import type { StagePicture } from "../drawing/stage.js";
import type { FindEverything } from "../input/everything-button.js";
import type { Picture } from "../input/picture.js";
import type { ThresholdSliders } from "../input/threshold-sliders.js";

/** `views/<kind>.ts` exports it as `view`. `create` is called once, when the page starts. */
export interface ViewModule {
  kind: string;
  create(): TaskView;
}

export interface TaskView {
  /** Sets the loaded model; null while there is none, for this reason. */
  setModel(model: Model | null, reason: string): void;
  /** Shows the source picture. `picture` is the visitor's choice, undefined for a camera frame. */
  showPicture(shown: StagePicture, title: string, picture?: Picture): void;
  /**
   * Draws a result. With `updateText` false, lists and numbers stay, since they are unreadable at 30 frames a second.
   * Throws for a result of another task.
   */
  showResult(
    result: Result,
    model: Model,
    thresholds: ThresholdSliders,
    updateText?: boolean,
  ): void | Promise<void>;
  /** Shows that there is no result, for this reason. */
  showNone(reason: string): void;
  clear(): void;
  /** Returns the picture with the drawing and its legend as a PNG. */
  toBlob(): Promise<Blob | null>;
  /** The options of a run that the view's own controls set. */
  options?(): RunOptions;
  /** The same as parameters of the page's link. */
  link?(): Record<string, string>;
  /** Sets the function to call when these options change. */
  onChange?(rerun: () => void): void;
  /** Sets the function that runs the model while the page is idle, for a preview. It resolves to null during a run or on failure. */
  setIdleRun?(ask: (options: RunOptions) => Promise<Result | null>): void;
  /** Sets the function that finds every object of the picture. */
  setFindEverything?(find: FindEverything): void;
  /** Returns the result to copy as JSON, if the view shows more than the last run's, such as masks of several clicks. */
  fullResult?(result: Result): Result;
  /** Whether runs on the same picture reuse its scene, so that only the last stage runs again, as for each click. */
  readonly reusesScene?: boolean;
  /** With true, screen readers do not announce the counts, which change with every camera frame. */
  setQuiet(quiet: boolean): void;
}
