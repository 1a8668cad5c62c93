// What a view of pictures needs of whatever shows the results of its task.

import type { Model, Result, RunOptions } from "../../src/index.js";
import type { StagePicture } from "../drawing/stage.js";
import type { FindEverything } from "../input/everything-button.js";
import type { Picture } from "../input/picture.js";
import type { ThresholdSliders } from "../input/threshold-sliders.js";

/** Lies in `views/<kind>.ts` as `view`. `create` is called once, when the page starts. */
export interface ViewModule {
  kind: string;
  create(): TaskView;
}

export interface TaskView {
  /** There is another model, or none and `reason`. */
  setModel(model: Model | null, reason: string): void;
  /** `picture` is what the visitor chose; a camera frame is none. */
  showPicture(shown: StagePicture, title: string, picture?: Picture): void;
  /**
   * With `due` false the numbers that change with every camera frame stay as they are. Throws for a result of
   * another task.
   */
  showResult(result: Result, model: Model, thresholds: ThresholdSliders, due?: boolean): void | Promise<void>;
  /** There is no result, and `reason`. */
  showNone(reason: string): void;
  clear(): void;
  /** The picture with what is drawn on it, and its legend. */
  toBlob(): Promise<Blob | null>;
  /** What the visitor said besides thresholds, for a run; `onChange` is told once what to do when that changes. */
  options?(): RunOptions;
  /** The same as words of the page's link. */
  link?(): Record<string, string>;
  onChange?(rerun: () => void): void;
  /** Is told once how to ask about the picture between runs, as for a preview. Null: a run goes on, or it failed. */
  onAsk?(ask: (options: RunOptions) => Promise<Result | null>): void;
  /** Is told once how to find everything in the picture. */
  onEverything?(find: FindEverything): void;
  /** All that is shown, where that is more than the last run's `result`. */
  whole?(result: Result): Result;
  /** Whether one picture is asked many things, as with clicks: its first stage then runs once. */
  readonly asksOften?: boolean;
  /** A camera's numbers are not read out with every frame. */
  setQuiet(quiet: boolean): void;
}
