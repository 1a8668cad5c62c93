// Rotated boxes run on slices.

import type { ObbTask } from "../../manifest/manifest.js";
import { slicedOptions } from "../sliced-options.js";
import type { TaskOptions } from "../task-options.js";
import { ROTATED } from "./sliced.js";

export const options: TaskOptions<ObbTask> = slicedOptions("obb", ROTATED);
