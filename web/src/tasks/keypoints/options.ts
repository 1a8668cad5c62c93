// What hears of crops that are done.

import type { KeypointsTask } from "../../manifest/manifest.js";
import { cropOptions } from "../crop-options.js";
import type { TaskOptions } from "../task-options.js";

export const options: TaskOptions<KeypointsTask> = cropOptions("keypoints");
