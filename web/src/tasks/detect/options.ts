// Detection runs on slices.

import type { DetectTask } from "../../manifest/manifest.js";
import { UPRIGHT } from "../../slices/sliced-task.js";
import { slicedOptions } from "../sliced-options.js";
import type { TaskOptions } from "../task-options.js";

export const options: TaskOptions<DetectTask> = slicedOptions("detect", { field: "detections", ...UPRIGHT });
