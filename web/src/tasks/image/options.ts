// What a run of a model that makes pictures may be asked for: tiles, each as soon as it is there, and a second picture.

import { checkReference } from "../../inputs/reference-input.js";
import type { ImageTask } from "../../manifest/manifest.js";
import { checkTiles } from "../../tiles/check-tiles.js";
import type { TaskOptions } from "../task-options.js";

export const options: TaskOptions<ImageTask> = {
  kind: "image",
  names: ["tiles", "onTile", "reference"],
  pictures: ["reference"],
  refusal: "the model makes no picture of a picture",
  check({ task, inputs }, given) {
    checkReference(inputs, given.reference);
    checkTiles(task.tiles, inputs, given);
  },
};
