// A picture that was looked at, as the tasks of later stages see it, in the worker.

import type { Geometry, Size } from "../preprocess/letterbox.js";
import type { Picture } from "../preprocess/pixels.js";
import type { TaskFields } from "../tasks/task-module.js";

/** What a later stage may read beside the tensors that it takes: see `TaskModule.context` and `TaskModule.parts`. */
export interface SceneView {
  /** The picture, a file decoded where the task `readsPicture` or the stage takes crops. It stays open. */
  picture: Picture;
  /** The size of the upright picture, and where it lies in the first stage's input. */
  geometry: Geometry;
  /** The size of the first stage's input, in pixels. */
  input: Size;
  /**
   * The results of earlier stages, by the stages' names, in the order of the stages: no object, which would list a stage
   * called `2` first. A stage of the task `tensor` has none.
   */
  results: ReadonlyMap<string, TaskFields>;
}
