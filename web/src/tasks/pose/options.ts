// Pictures in slices.

import type { PoseTask } from "../../manifest/manifest.js";
import { slicedOptions } from "../sliced-options.js";
import type { TaskOptions } from "../task-options.js";

export const options: TaskOptions<PoseTask> = slicedOptions("pose", "poses");
