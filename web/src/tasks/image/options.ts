// The options of image-to-image models: tiles, each reported when it is finished, and a second picture.

import { checkReference } from "../../inputs/reference-input.js";
import type { ImageTask } from "../../manifest/manifest.js";
import { checkTiles } from "../../tiles/check-tiles.js";
import type { TaskOptions } from "../task-options.js";

export const options: TaskOptions<ImageTask> = {
  kind: "image",
  names: ["tiles", "onTile", "reference"],
  pictures: ["reference", "mask"],
  refusal: "the model is not an image-to-image model",
  check({ task, inputs }, given) {
    checkReference(inputs, given.reference);
    checkTiles(task.tiles, inputs, given);
  },
};
