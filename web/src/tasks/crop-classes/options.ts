// The listener for finished crops.

import type { CropClassesTask } from "../../manifest/manifest.js";
import { cropOptions } from "../crop-options.js";
import type { TaskOptions } from "../task-options.js";

export const options: TaskOptions<CropClassesTask> = cropOptions("crop-classes");
