// The options of a run that are sent to the worker.

import type { TaskRunOptions } from "../tasks/task-module.js";

/** Without the options that stay on the page: signals, states, listeners and slices. */
export type WorkerRunOptions = Omit<
  TaskRunOptions,
  "signal" | "state" | "onTile" | "slices" | "onProgress"
> & {
  /** For options that are pictures: the same number means the same picture as in an earlier run. */
  pictureKeys?: Readonly<Record<string, number>>;
};
