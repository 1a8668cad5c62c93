// Instance segmentation runs on slices.

import type { SegmentTask } from "../../manifest/manifest.js";
import { slicedOptions } from "../sliced-options.js";
import type { TaskOptions } from "../task-options.js";
import { MASKED } from "./sliced.js";

export const options: TaskOptions<SegmentTask> = slicedOptions("segment", MASKED);
