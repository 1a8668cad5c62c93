// Keypoints of crops: of the whole picture, or of objects that an earlier stage found.

import type { Pose, PoseResult } from "../../api/types.js";
import type { KeypointsTask } from "../../manifest/manifest.js";
import { cropTask } from "../crop-task.js";
import type { FieldsOf } from "../task-module.js";
import { decodeKeypoints, headOutputs } from "./decode-keypoints.js";
import { toPose } from "./to-pose.js";

export const task = cropTask<KeypointsTask, FieldsOf<PoseResult>, Pose>({
  kind: "keypoints",
  outputs: headOutputs,
  decode(spec, { outputs, crops, batch, input }) {
    const found = decodeKeypoints(spec, outputs, batch, input);
    return crops.map((crop, index) => toPose(spec, crop, found[index] ?? []));
  },
  result: (poses, picture) => ({ kind: "pose", ...picture, poses }),
});
