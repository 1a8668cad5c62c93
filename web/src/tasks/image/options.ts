// What a run of a model that makes pictures may be asked for: tiles, and each as soon as it is there.

import { WebbuildError } from "../../api/errors.js";
import { stateInputs } from "../../inputs/state-inputs.js";
import type { ImageTask } from "../../manifest/manifest.js";
import type { TaskOptions } from "../task-options.js";

export const options: TaskOptions<ImageTask> = {
  kind: "image",
  names: ["tiles", "onTile"],
  absent: "the model makes no picture of a picture",
  check({ task, inputs }, { tiles }) {
    if (tiles !== "auto") return;
    if (stateInputs(inputs).length > 0) {
      const what = "tiles: a model with state runs whole pictures, each tile would need a state of its own";
      throw new WebbuildError("invalid-option", what, "leave tiles out: the picture is resized");
    }
    if (task.tiles !== null) return;
    const fix = "leave tiles out: the picture is resized. What webbuild pack prints says why there are none";
    throw new WebbuildError("invalid-option", "tiles: the model was packed without them", fix);
  },
};
