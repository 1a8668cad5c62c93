// Poses run on slices. Merged poses keep the keypoints of the best.

import type { Pose } from "../../api/types.js";
import type { PoseTask } from "../../manifest/manifest.js";
import { movedBox, movedPoint, type SlicedTask, UPRIGHT } from "../../slices/sliced-task.js";
import { slicedOptions } from "../sliced-options.js";
import type { TaskOptions } from "../task-options.js";

export const POSES: SlicedTask<Pose> = {
  field: "poses",
  ...UPRIGHT,
  move: (found, slice) => ({
    ...found,
    box: movedBox(found.box, slice),
    keypoints: found.keypoints.map((point) => movedPoint(point, slice)),
  }),
};

export const options: TaskOptions<PoseTask> = slicedOptions("pose", POSES);
