// A scene's picture and earlier results, as tasks of later stages see them in the worker.

import type { Geometry, Size } from "../preprocess/letterbox.js";
import type { Picture } from "../preprocess/pixels.js";
import type { TaskFields } from "../tasks/task-module.js";

/** The data that a later stage may read besides its tensors: see `TaskModule.context` and `.parts`. */
export interface SceneView {
  /** The picture; a file is decoded if the task `readsPicture` or the stage takes crops. It stays open. */
  picture: Picture;
  /** The size of the upright picture, and its place in the first stage's input. */
  geometry: Geometry;
  /** The size of the first stage's input, in pixels. */
  input: Size;
  /**
   * The results of earlier stages, by stage name, in the order of the stages. A Map, because an object would
   * list a stage called `2` first. A stage of the task `tensor` has no result.
   */
  results: ReadonlyMap<string, TaskFields>;
}
