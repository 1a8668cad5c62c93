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
  /** The results of earlier stages, by the stages' names. A stage of the task `tensor` has none. */
  results: Readonly<Record<string, TaskFields>>;
}
