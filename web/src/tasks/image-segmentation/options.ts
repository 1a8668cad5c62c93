// The segmentation mode of a run, instead of the manifest's.

import { WebbuildError } from "../../api/errors.js";
import type { RunOptions } from "../../api/types.js";
import type { ImageSegmentationTask } from "../../manifest/manifest.js";
import type { TaskOptions } from "../task-options.js";

type Mode = ImageSegmentationTask["mode"];

const MODES: readonly Mode[] = ["panoptic", "instance", "semantic"];

export const options: TaskOptions<ImageSegmentationTask> = {
  kind: "image-segmentation",
  names: ["mode"],
  refusal: "the model takes none",
  check: ({ task }, { mode }) => withMode(task, mode),
};

/** Returns the task with this mode. Throws "invalid-option" if the model does not have it. */
export function withMode(task: ImageSegmentationTask, mode: RunOptions["mode"]): ImageSegmentationTask {
  if (mode === undefined) return task;
  const known = task.scores === null ? ["semantic"] : MODES;
  if (!known.includes(mode)) {
    const fix = `give ${known.join(", ")}, or leave mode out for ${task.mode}`;
    throw new WebbuildError("invalid-option", `mode: the model has no ${JSON.stringify(mode)}`, fix);
  }
  return { ...task, mode };
}
