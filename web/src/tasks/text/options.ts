// The listener for lines that are read.

import type { TextTask } from "../../manifest/manifest.js";
import { cropOptions } from "../crop-options.js";
import type { TaskOptions } from "../task-options.js";

export const options: TaskOptions<TextTask> = cropOptions("text");
