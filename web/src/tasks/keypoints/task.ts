// Keypoints of crops: of the whole picture, or of what an earlier stage found in it.

import type { Pose, PoseResult, Warning } from "../../api/types.js";
import type { KeypointsTask } from "../../manifest/manifest.js";
import type { Geometry } from "../../preprocess/letterbox.js";
import type { FieldsOf, TaskModule } from "../task-module.js";
import { decodeKeypoints, headOutputs } from "./decode-keypoints.js";
import { MOST_CROPS, parts } from "./parts.js";
import { toPose } from "./to-pose.js";

export const task: TaskModule<KeypointsTask, FieldsOf<PoseResult>> = {
  kind: "keypoints",
  neededOutputs: ({ task }) => headOutputs(task),
  decode({ task }, outputs, geometry) {
    return { kind: "pose", ...geometry.source, poses: decodePoses(task, outputs, geometry) };
  },
  parts,
  warnings: ({ poses }) => (poses.length < MOST_CROPS ? [] : [tooMany]),
};

const tooMany: Warning = {
  code: "many-crops",
  message: `only the ${MOST_CROPS} best boxes were looked at closer`,
  fix: "raise the confidence threshold, or run parts of the picture",
};

/** Decodes the outputs of an input of crops, which lie in the picture as the geometry says. */
export function decodePoses(
  task: KeypointsTask,
  outputs: Parameters<typeof decodeKeypoints>[1],
  { width, height, crops = [] }: Geometry,
): Pose[] {
  const found = decodeKeypoints(task, outputs, crops.length, { width, height });
  return crops.map((crop, index) => toPose(task, crop, found[index] ?? []));
}
