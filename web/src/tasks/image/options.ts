// What a run of a model that makes pictures may be asked for: tiles, and each as soon as it is there.

import type { ImageTask } from "../../manifest/manifest.js";
import { checkTiles } from "../../tiles/check-tiles.js";
import type { TaskOptions } from "../task-options.js";

export const options: TaskOptions<ImageTask> = {
  kind: "image",
  names: ["tiles", "onTile"],
  absent: "the model makes no picture of a picture",
  check: ({ task, inputs }, given) => checkTiles(task.tiles, inputs, given),
};
